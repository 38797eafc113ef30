// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from '../../scripts/steps.mjs';
import { ROOT } from '../bench/servers.mjs';

/**
 * Runs tests of another revision, each with a database that has the schema and the functions of this checkout.
 * Returns whether all passed.
 *
 * @param {string} root the checkout of that revision, which is built
 * @param {string[]} tests files or folders
 */
export async function testOnOurSchema(root, tests) {
  await bundle('tests/harness/serve-database.ts', 'serve-database');
  const server = spawn(process.execPath, [path.join(ROOT, '.build/serve-database.mjs')], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [databases] = await once(createInterface({ input: server.stdout }), 'line');
    const runner = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...tests], {
      cwd: root,
      env: { ...process.env, TEST_DATABASE_SERVER: databases },
      stdio: 'inherit',
    });
    const [code] = await once(runner, 'exit');
    return code === 0;
  } finally {
    const ended = once(server, 'exit');
    server.stdin.end();
    await ended;
  }
}
