import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { expect, test } from 'vitest';
import { PrismaClient } from '@/prisma/client/client';
import { pool, prisma } from '@/server/db';
import { isDatabaseBusy } from '@/server/http/database-busy';
import { describeError } from '@/server/log';
import { startEmbeddedPostgres } from '@/server/process/embedded-postgres';
import { choosePort } from '@/server/process/listen';
import { whileDatabaseIsBusy } from './harness/busy-database';
import { newDatabase, onDatabaseServer } from './harness/database';
import { withClient } from './harness/database-connection';

const { url } = await newDatabase();

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

/** Both database clients again, with separate settings. */
async function withDoors<T>(
  settings: pg.PoolConfig,
  work: (hot: pg.Pool, slow: PrismaClient) => Promise<T>,
): Promise<T> {
  const hot = new pg.Pool(settings);
  hot.on('error', () => {});
  const slow = new PrismaClient({ adapter: new PrismaPg(settings) });
  try {
    return await work(hot, slow);
  } finally {
    await Promise.all([hot.end(), slow.$disconnect()]);
  }
}

/** The response of each way to query. */
const askEveryWay = (hot: pg.Pool, slow: PrismaClient, text = 'SELECT email FROM "user"') =>
  Promise.all([
    failureOf(hot.query(text)),
    failureOf(slow.$queryRawUnsafe(text)),
    failureOf(slow.user.findFirst()),
    failureOf(slow.$transaction((tx) => tx.user.findFirst())),
  ]);

function expectBusy(failures: unknown[]): void {
  expect(failures.map(isDatabaseBusy), String(failures)).toEqual(failures.map(() => true));
}

test('both database clients distinguish a database without a free connection from a failing one', async () => {
  await whileDatabaseIsBusy(async () => {
    expectBusy(
      await Promise.all([
        failureOf(pool().query('SELECT 1')),
        failureOf(prisma().user.findFirst()),
        failureOf(prisma().$transaction((tx) => tx.user.findFirst(), { maxWait: 1_000 })),
        failureOf(prisma().$transaction((tx) => tx.user.findFirst(), { maxWait: 9_000 })),
      ]),
    );
  });
  const broken = await Promise.all([
    failureOf(pool().query('SELECT nothing')),
    failureOf(prisma().$queryRaw`SELECT nothing`),
    failureOf(prisma().user.findFirstOrThrow()),
  ]);
  expect(broken.map(isDatabaseBusy), String(broken)).toEqual([false, false, false]);
});

test('a transaction over its time limit counts as busy, and writes nothing', async () => {
  const tooLong = prisma().$transaction(
    async (tx) => {
      await tx.user.create({ data: { id: 'usr_late', email: 'late@example.com' } });
      await tx.$queryRaw`SELECT 1 FROM pg_sleep(0.3)`;
      await tx.user.findFirst();
    },
    { timeout: 50 },
  );
  expectBusy([await failureOf(tooLong)]);
  expect(await prisma().user.findUnique({ where: { id: 'usr_late' } })).toBeNull();
});

test('a server without free connections counts as busy', async () => {
  const role = `busy_${process.pid}`;
  await onDatabaseServer((client) =>
    client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 0`),
  );
  const connectionString = String(Object.assign(new URL(url), { username: role, password: 'x' }));
  try {
    await withDoors({ connectionString }, async (hot, slow) => expectBusy(await askEveryWay(hot, slow)));
  } finally {
    await onDatabaseServer((client) => client.query(`DROP ROLE ${role}`));
  }
});

test.each([
  ['a statement that takes too long', { statement_timeout: 100 }],
  ['a lock that is not to be had in time', { options: '-c lock_timeout=100' }],
])('%s counts as busy', async (_, limit) => {
  await withClient(url, async (holder) => {
    await holder.query('BEGIN; LOCK TABLE "user"');
    await withDoors({ connectionString: url, ...limit }, async (hot, slow) =>
      expectBusy(await askEveryWay(hot, slow)),
    );
  });
});

test('a broken connection and an address without a listener count as busy', async () => {
  await withDoors({ connectionString: url, application_name: 'cut off' }, async (hot, slow) => {
    const asked = Promise.all([
      failureOf(hot.query('SELECT pg_sleep(30)')),
      failureOf(slow.$queryRaw`SELECT pg_sleep(30)`),
    ]);
    await withClient(url, async (client) => {
      const them = "FROM pg_stat_activity WHERE application_name = 'cut off' AND query ~ 'pg_sleep'";
      const count = async () => (await client.query(`SELECT 1 ${them}`)).rowCount;
      await expect.poll(count).toBe(2);
      await client.query(`SELECT pg_terminate_backend(pid) ${them}`);
    });
    expectBusy(await asked);
  });
  const connectionString = String(Object.assign(new URL(url), { port: await choosePort() }));
  await withDoors({ connectionString }, async (hot, slow) => expectBusy(await askEveryWay(hot, slow)));
});

test('a server that shuts down counts as busy', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'svc-shutdown-'));
  const database = await startEmbeddedPostgres({ dataDir, durable: false });
  try {
    await withClient(database.url, async (holder) => {
      // While clients are connected it accepts no more of them, and does not end.
      const { rows } = await holder.query("SELECT pg_read_file('postmaster.pid') AS file");
      process.kill(Number.parseInt(rows[0].file, 10), 'SIGTERM');
      await withDoors({ connectionString: database.url }, async (hot, slow) => {
        await expect
          .poll(async () => (await failureOf(hot.query('SELECT 1'))) as unknown)
          .toMatchObject({ code: '57P03' });
        expectBusy(await askEveryWay(hot, slow));
      });
    });
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

async function askTooMuch(): Promise<unknown> {
  return withDoors({ connectionString: url, statement_timeout: 50 }, (hot) =>
    hot.query('SELECT pg_sleep(5), $1::text', ['a secret of somebody']),
  );
}

test('a statement that was cut off is reported with its place in the code, and without its values', async () => {
  const told = describeError(await failureOf(askTooMuch()));
  expect(told).toMatch(/canceling statement due to statement timeout \(in \w/);
  expect(told).not.toContain('secret');
});
