import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { SECOND_MS } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { lookAfterBatches } from '@/server/gateway/run/batches/look-after-batches';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/** The snippets of docs/batches.md, run unchanged except for the address. */

await newDatabase();
const { url } = await startApi();
// Clients read the results of messages at the address that the batch names.
settings().BASE_URL = url;
const { userKey } = await newPerson({ credits: 1_000 });
const run = promisify(execFile);

// The folder is inside the project, so that Node finds its packages.
mkdirSync('.build', { recursive: true });
const folder = mkdtempSync('.build/batches-');
afterAll(() => rmSync(folder, { recursive: true }));

async function runSnippet(code: string, look = lookAfterBatches): Promise<string[]> {
  const file = resolve(folder, 'snippet.mjs');
  writeFileSync(file, code.replaceAll('http://localhost:3000', url));
  const looking = setInterval(() => void look(), SECOND_MS);
  const { stdout } = await run(process.execPath, [file], {
    cwd: folder,
    env: { NODE_ENV: 'test', PATH: process.env.PATH, SVC_USER_KEY: userKey },
  }).finally(() => clearInterval(looking));
  return stdout.trim().split('\n');
}

test('the snippet for a file waits for its batch, and prints its lines and what it cost', async () => {
  const printed = await runSnippet(readBlock('docs/batches.md', 'client.files.create'));
  expect(printed.slice(0, 2)).toEqual(['question-0', 'question-1']);
  expect(Number(printed[2])).toBeGreaterThan(0);
}, 60_000);

test('the snippet for a file ends when its batch is cancelled', async () => {
  const printed = await runSnippet(readBlock('docs/batches.md', 'client.files.create'), async () => {
    await pool().query("UPDATE batch_job SET cancelled_at = now() WHERE state = 'running'");
    await lookAfterBatches();
  });
  expect(printed).toEqual(['0']);
}, 60_000);

test('the snippet for messages waits for its batch, and prints its results and what it cost', async () => {
  const printed = await runSnippet(readBlock('docs/batches.md', 'client.messages.batches.create'));
  expect(printed[0]).toBe('question-1 succeeded');
  expect(Number(printed[1])).toBeGreaterThan(0);
}, 60_000);
