import { afterEach, expect, test, vi } from 'vitest';
import { MINUTE_MS, now, SECOND_MS, setClock } from '@/server/base/clock';
import { closeDatabase, ledgerPool } from '@/server/base/db';
import { jobSuccesses } from '@/server/base/measures';
import { noteNotWritten, noteWritten } from '@/server/base/write-state';
import { describeInstance, LEAST_FREE_BYTES, noteStopping } from '@/server/process/health/readiness';
import { readMigrations } from '@/server/process/sql-files';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { onDatabaseServer } from '../../harness/database';

const { url: databaseUrl } = await newDatabase();
const { url } = await startApi();
const migrations = readMigrations().map(({ name }) => name);
const embedded = { migrations, dataDir: '.', leastFreeBytes: 0 };

let time = now();
setClock(() => time);
afterEach(() => describeInstance(embedded));

/** Each call comes more than a second after the last, so that it checks again. */
async function ask(path = '/readyz'): Promise<unknown[]> {
  time += 2 * SECOND_MS;
  const response = await fetch(`${url}${path}`);
  const { status, failing } = (await response.json()) as { status: string; failing?: string[] };
  return [response.status, status, ...(failing ?? [])];
}

test.each(['/readyz', '/livez', '/api/health'])(
  '%s responds with 200 while everything is well',
  async (path) => {
    describeInstance(embedded);
    expect(await ask(path)).toEqual([200, 'ok']);
  },
);

test('an instance is not ready on a database that accepts no writes, as after a failover to a replica', async () => {
  const name = new URL(databaseUrl).pathname.slice(1);
  const setReadOnly = async (value: string) => {
    await onDatabaseServer((client) =>
      client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`),
    );
    await closeDatabase();
  };
  await setReadOnly('on');
  expect(await ask()).toEqual([503, 'unavailable', 'writes']);
  expect(await ask('/api/health')).toEqual([503, 'unavailable', 'writes']);
  await setReadOnly('off');
  expect(await ask()).toEqual([200, 'ok']);
});

test('an instance is not ready while the disk of the database is full, until a statement succeeds or 15 seconds pass', async () => {
  noteNotWritten('53100');
  expect(await ask()).toEqual([503, 'unavailable', 'writes']);
  noteWritten();
  expect(await ask()).toEqual([200, 'ok']);
  noteNotWritten('53100');
  noteNotWritten('40001');
  time += 14 * SECOND_MS;
  expect(await ask()).toEqual([200, 'ok']);
});

test('an instance is not ready without its migrations, without room on the disk, or without its leases', async () => {
  describeInstance({ ...embedded, migrations: [...migrations, '99999999999999_later'] });
  expect(await ask()).toEqual([503, 'unavailable', 'migrations']);
  describeInstance({ ...embedded, leastFreeBytes: Number.POSITIVE_INFINITY });
  expect(await ask()).toEqual([503, 'unavailable', 'disk']);
  describeInstance(embedded);
  jobSuccesses.set('leases', now());
  expect(await ask()).toEqual([200, 'ok']);
  time += 2 * MINUTE_MS;
  expect(await ask()).toEqual([503, 'unavailable', 'leases']);
  jobSuccesses.delete('leases');
  expect(LEAST_FREE_BYTES).toBeGreaterThan(0);
});

test('an instance whose database does not answer is alive, but not ready', async () => {
  const held = await Promise.all([ledgerPool().connect(), ledgerPool().connect()]);
  expect(await ask()).toEqual([503, 'unavailable', 'database', 'writes', 'migrations']);
  expect(await ask('/livez')).toEqual([200, 'ok']);
  for (const connection of held) connection.release();
  expect(await ask()).toEqual([200, 'ok']);
});

test('readiness asks the database once a second at most @attack', async () => {
  await ask();
  const queries = vi.spyOn(ledgerPool(), 'query');
  time += SECOND_MS;
  const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/readyz`)));
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(queries).toHaveBeenCalledOnce();
});

test('a stopping instance is not ready at once', async () => {
  await ask();
  noteStopping();
  const response = await fetch(`${url}/readyz`);
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: 'unavailable', failing: ['running'] },
  ]);
});
