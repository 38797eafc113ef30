import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fail } from '../../scripts/steps.mjs';
import { run } from '../run.mjs';

const isWindows = process.platform === 'win32';
const PYTHON = isWindows ? 'python' : 'python3';

/**
 * Installs packages in a virtual environment, and returns the interpreter that finds them.
 *
 * @param {string} folder @param {string} requirements separated by spaces
 */
export function createEnvironment(folder, requirements) {
  if (spawnSync(PYTHON, ['--version']).error) fail(`${PYTHON} was not found. Install Python 3.10 or newer.`);
  run(PYTHON, ['-m', 'venv', folder]);
  const python = path.join(folder, isWindows ? 'Scripts' : 'bin', 'python');
  run(python, ['-m', 'pip', 'install', '--quiet', ...requirements.split(' ')]);
  return python;
}
