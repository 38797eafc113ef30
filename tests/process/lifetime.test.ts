import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bundleProgram } from '../harness/programs';

const script = bundleProgram('tests/process/run-until-stopped.ts');

test('a process whose output is no longer read keeps running, and stops when asked', async () => {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stderr.destroy();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
