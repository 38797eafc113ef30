import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { enterProject, fail } from './steps.mjs';

/**
 * `npm run npm-clients`: installs the clients from npm that are too large to be dependencies, and calls the service
 * with them.
 */

const FOLDER = path.resolve('.build/npm-clients');
const PACKAGES = [
  '@anthropic-ai/claude-code@2.1.328',
  '@openai/codex@0.169.0',
  '@openai/agents@0.20.0',
  'zod@4',
];

enterProject();
mkdirSync(FOLDER, { recursive: true });
run('npm', ['install', '--prefix', FOLDER, '--no-audit', '--no-fund', ...PACKAGES]);
run(process.execPath, ['scripts/test.mjs', 'tests/clients/npm.test.ts'], { NPM_CLIENTS: FOLDER });

/** @param {string} command @param {string[]} args @param {Record<string, string>} more */
function run(command, args, more = {}) {
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, ...more },
  });
  if (error || status !== 0) fail(`${command} ${args.join(' ')} failed.`);
}
