import { createHash } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import path from 'node:path';
import { startDatabaseServer } from './database-server';

/**
 * The database server of a run of all tests: a process that prints where it is, for `TEST_DATABASE_SERVER`,
 * and stops when its standard input ends.
 */

const ROOM_BYTES = 4 * 2 ** 30;

/**
 * A database for each test file means 170,000 files. To create and drop 40 databases, ext4 takes 3 to 18 seconds
 * of processor time, because it does not reuse the files that were deleted seconds ago, and memory takes 1.5.
 */
function findMemoryFolder(): string | undefined {
  const run = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 16);
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    const hasRoom = bavail * bsize >= ROOM_BYTES && freemem() >= 2 * ROOM_BYTES;
    return hasRoom ? path.join('/dev/shm', `svc-tests-${run}`) : undefined;
  } catch {
    return undefined;
  }
}

// The terminal interrupts this process too; it stops once the tests have.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

const folder = findMemoryFolder();
const { serverUrl, templateName, dataDir, stop } = await startDatabaseServer(folder);
process.stdout.write(`${JSON.stringify({ serverUrl, templateName })}\n`);
process.stdin.resume().once('end', async () => {
  await stop();
  if (folder && dataDir.startsWith(folder)) rmSync(dataDir, { recursive: true, force: true });
});
