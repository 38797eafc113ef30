import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect } from 'vitest';

/** Bundles a program of the tests, to run in processes of its own; returns the file. */
export function bundleProgram(entry: string): string {
  const file = path.resolve(`.build/${path.basename(entry, '.ts')}-${process.pid}.mjs`);
  beforeAll(() =>
    build({
      entryPoints: [entry],
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: { '@': path.resolve('.') },
      logLevel: 'silent',
    }),
  );
  afterAll(() => rmSync(file, { force: true }));
  return file;
}

export type Death = { call: RegExp; when: 'before it arrives' | 'before the answer' | 'never' };

/** Runs a program until it dies at one of its calls to the processor, or to the server that another setting names. */
export async function dieAt(
  { call, when }: Death,
  {
    program,
    argument,
    processorUrl,
    setting = 'STRIPE_API_BASE',
  }: { program: string; argument: string; processorUrl: string; setting?: string },
): Promise<void> {
  let child: ChildProcess | undefined;
  const die = () => child?.kill('SIGKILL');
  const wire = createServer(async (given, answer) => {
    const isCall = call.test(`${given.method} ${given.url}`);
    if (isCall && when === 'before it arrives') return die();
    const { hostname, port } = new URL(processorUrl);
    const { method, url: target, headers } = given;
    const sent = request({ hostname, port, method, path: target, headers }, (reply) => {
      if (isCall && when === 'before the answer') return reply.resume().on('end', die);
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      return reply.pipe(answer);
    });
    given.pipe(sent);
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
  child = spawn(process.execPath, [program, argument], {
    env: { ...process.env, [setting]: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  wire.closeAllConnections();
  wire.close();
  expect({ code, signal }).toEqual(
    when === 'never' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
  );
}
