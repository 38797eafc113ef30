import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { enterProject, npm, step } from '../../scripts/steps.mjs';
import { runTest } from '../run.mjs';

/**
 * `npm run npm-clients`: installs the clients from npm that are too large to be dependencies, and calls the service
 * with them.
 */

const FOLDER = path.resolve('.build/npm-clients');
const PACKAGES = [
  '@anthropic-ai/claude-code@2.1.328',
  '@openai/codex@0.169.0',
  '@openai/agents@0.20.0',
  '@qwen-code/qwen-code@0.15.10',
  'opencode-ai@1.18.33',
  'ai@7.0.173',
  '@ai-sdk/openai@4.0.118',
  '@ai-sdk/anthropic@4.0.105',
  'zod@4',
  // The AI SDK requires Node 22.
  'node@24',
];

enterProject();
mkdirSync(FOLDER, { recursive: true });
await step('Installing the clients', () =>
  npm('install', '--prefix', FOLDER, '--no-audit', '--no-fund', ...PACKAGES),
);
runTest(['tests/gateway/clients/npm.test.ts', 'tests/gateway/clients/run-keys.test.ts'], {
  NPM_CLIENTS: FOLDER,
});
