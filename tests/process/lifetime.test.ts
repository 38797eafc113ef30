import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const script = path.resolve(`.build/run-until-stopped-${process.pid}.mjs`);

beforeAll(async () => {
  await build({
    entryPoints: ['tests/process/run-until-stopped.ts'],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
});

afterAll(() => rmSync(script, { force: true }));

test('a process whose output is no longer read keeps running, and stops when asked', async () => {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stderr.destroy();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
