import { spawnSync } from 'node:child_process';
import { fail } from '../scripts/steps.mjs';

/**
 * Runs a program, shows its output, and ends this one if it fails.
 *
 * @param {string} command @param {string[]} args @param {Record<string, string>} environment
 */
export function run(command, args, environment = {}) {
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (error) fail(`${command} could not be started: ${error.message}.`);
  if (status !== 0) fail(`${command} ${args.join(' ')} failed.`);
}

/**
 * Ends this program if another one is not installed.
 *
 * @param {string} program @param {string} word with which it prints its version @param {string} address where to get it
 */
export function requireProgram(program, word, address) {
  if (spawnSync(program, [word]).error)
    fail(`${program} is not installed. Install it from ${address} and try again.`);
}

/** @param {string | string[]} files @param {Record<string, string>} environment */
export const runTest = (files, environment) =>
  run(process.execPath, ['scripts/test.mjs', ...[files].flat()], environment);
