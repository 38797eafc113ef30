import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { enterProject, fail } from './steps.mjs';

/** `npm run python-verifier`: checks statements with the Python program of docs/verify.md. */

const FOLDER = path.resolve('.build/python/verifier');
const isWindows = process.platform === 'win32';
const python = path.join(FOLDER, isWindows ? 'Scripts' : 'bin', 'python');

enterProject();
run(isWindows ? 'python' : 'python3', ['-m', 'venv', FOLDER]);
run(python, ['-m', 'pip', 'install', '--quiet', 'cryptography==50.0.2']);
run(process.execPath, ['scripts/test.mjs', 'tests/statements/python.test.ts'], { PYTHON_VERIFIER: python });

/** @param {string} command @param {string[]} args @param {Record<string, string>} more */
function run(command, args, more = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...more } });
  if (error) fail(`${command} could not be started. The verifier needs Python 3.10 or newer.`);
  if (status !== 0) fail(`${command} ${args.join(' ')} failed.`);
}
