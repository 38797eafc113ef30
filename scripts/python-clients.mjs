import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { enterProject, fail } from './steps.mjs';

/**
 * `npm run python-clients`: installs the Python clients, each in a virtual environment because they require
 * different versions of each other, and calls the service with them.
 */

const FOLDER = path.resolve('.build/python');
const isWindows = process.platform === 'win32';

enterProject();
/** @type {Record<string, string>} */
const packages = JSON.parse(readFileSync('tests/clients/python/packages.json', 'utf8'));
for (const [client, requirements] of Object.entries(packages)) {
  console.log(`Installing ${requirements} …`);
  const environment = path.join(FOLDER, client);
  run(isWindows ? 'python' : 'python3', ['-m', 'venv', environment]);
  run(path.join(environment, isWindows ? 'Scripts' : 'bin', 'python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    ...requirements.split(' '),
  ]);
}
run(process.execPath, ['scripts/test.mjs', 'tests/clients/python.test.ts'], { PYTHON_CLIENTS: FOLDER });

/** @param {string} command @param {string[]} args @param {Record<string, string>} more */
function run(command, args, more = {}) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...more } });
  if (error) fail(`${command} could not be started. The Python clients need Python 3.10 or newer.`);
  if (status !== 0) fail(`${command} ${args.join(' ')} failed.`);
}
