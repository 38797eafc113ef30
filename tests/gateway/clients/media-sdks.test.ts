import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SECOND_MS } from '@/server/base/clock';
import { lookAfterBatches } from '@/server/gateway/run/batches/look-after-batches';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/**
 * The official clients of OpenAI in Python and Go make pictures, speak, film and send batches at the sandbox's models.
 * `npm --prefix lab run media-clients` installs them and sets these to the programs that run them.
 */
const { MEDIA_PYTHON = '', MEDIA_GO = '' } = process.env;
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);

test.runIf(MEDIA_PYTHON !== '')('the Python client gets what it asked for', { timeout: TIMEOUT_MS }, () =>
  expectAllRight(MEDIA_PYTHON, ['tests/gateway/clients/python/media.py']),
);

test.runIf(MEDIA_GO !== '')('the Go client gets what it asked for', { timeout: TIMEOUT_MS }, () =>
  expectAllRight(MEDIA_GO, []),
);

async function expectAllRight(program: string, args: readonly string[]): Promise<void> {
  await newDatabase();
  const { url } = await startApi();
  const { userKey } = await newPerson({ credits: 1_000 });
  const looking = setInterval(() => {
    void lookAfterVideos();
    void lookAfterBatches();
  }, SECOND_MS);
  const { stdout } = await run(program, [...args, url, userKey], { timeout: TIMEOUT_MS }).finally(() =>
    clearInterval(looking),
  );
  const lines = stdout.trim().split('\n');
  expect(lines.length).toBe(9);
  expect(lines.filter((line) => !line.endsWith(' true'))).toEqual([]);
}
