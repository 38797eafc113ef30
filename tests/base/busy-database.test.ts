import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { expect, test } from 'vitest';
import { PrismaClient } from '@/prisma/client/client';
import { pool, prisma } from '@/server/base/db';
import { isDatabaseBusy } from '@/server/base/http/database-busy';
import { describeError } from '@/server/base/log';
import { startEmbeddedPostgres } from '@/server/process/embedded-postgres';
import { whileDatabaseIsBusy } from '../harness/busy-database';
import { newDatabase, onDatabaseServer } from '../harness/database';
import { withClient } from '../harness/database-connection';
import { freePort } from '../harness/free-port';

const { url } = await newDatabase();

const failureOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

/** Both database clients again, with separate settings. */
async function withClients<T>(
  settings: pg.PoolConfig,
  run: (hotPool: pg.Pool, slowClient: PrismaClient) => Promise<T>,
): Promise<T> {
  const hotPool = new pg.Pool(settings);
  hotPool.on('error', () => {});
  const slowClient = new PrismaClient({ adapter: new PrismaPg(settings) });
  try {
    return await run(hotPool, slowClient);
  } finally {
    await Promise.all([hotPool.end(), slowClient.$disconnect()]);
  }
}

/** The response of each way to query. */
const queryEveryWay = (hotPool: pg.Pool, slowClient: PrismaClient, text = 'SELECT email FROM "user"') =>
  Promise.all([
    failureOf(hotPool.query(text)),
    failureOf(slowClient.$queryRawUnsafe(text)),
    failureOf(slowClient.user.findFirst()),
    failureOf(slowClient.$transaction((tx) => tx.user.findFirst())),
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
    await withClients({ connectionString }, async (hotPool, slowClient) =>
      expectBusy(await queryEveryWay(hotPool, slowClient)),
    );
  } finally {
    await onDatabaseServer((client) => client.query(`DROP ROLE ${role}`));
  }
});

test.each([
  ['a statement that takes too long', { statement_timeout: 100 }],
  ['a lock that is not available in time', { options: '-c lock_timeout=100' }],
])('%s counts as busy', async (_, limit) => {
  await withClient(url, async (holder) => {
    await holder.query('BEGIN; LOCK TABLE "user"');
    await withClients({ connectionString: url, ...limit }, async (hotPool, slowClient) =>
      expectBusy(await queryEveryWay(hotPool, slowClient)),
    );
  });
});

test('a broken connection and an address without a listener count as busy', async () => {
  await withClients({ connectionString: url, application_name: 'cut off' }, async (hotPool, slowClient) => {
    const queries = Promise.all([
      failureOf(hotPool.query('SELECT pg_sleep(30)')),
      failureOf(slowClient.$queryRaw`SELECT pg_sleep(30)`),
    ]);
    await withClient(url, async (client) => {
      const sessions = "FROM pg_stat_activity WHERE application_name = 'cut off' AND query ~ 'pg_sleep'";
      const count = async () => (await client.query(`SELECT 1 ${sessions}`)).rowCount;
      await expect.poll(count).toBe(2);
      await client.query(`SELECT pg_terminate_backend(pid) ${sessions}`);
    });
    expectBusy(await queries);
  });
  const connectionString = String(Object.assign(new URL(url), { port: await freePort() }));
  await withClients({ connectionString }, async (hotPool, slowClient) =>
    expectBusy(await queryEveryWay(hotPool, slowClient)),
  );
});

test('a server that shuts down counts as busy', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'svc-shutdown-'));
  const database = await startEmbeddedPostgres({ dataDir, durable: false });
  try {
    await withClient(database.url, async (holder) => {
      // While clients are connected it accepts no more of them, and does not end.
      const { rows } = await holder.query("SELECT pg_read_file('postmaster.pid') AS file");
      process.kill(Number.parseInt(rows[0].file, 10), 'SIGTERM');
      await withClients({ connectionString: database.url }, async (hotPool, slowClient) => {
        await expect
          .poll(async () => (await failureOf(hotPool.query('SELECT 1'))) as unknown)
          .toMatchObject({ code: '57P03' });
        expectBusy(await queryEveryWay(hotPool, slowClient));
      });
    });
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

async function queryTooLong(): Promise<unknown> {
  return withClients({ connectionString: url, statement_timeout: 50 }, (hotPool) =>
    hotPool.query('SELECT pg_sleep(5), $1::text', ['a secret of somebody']),
  );
}

test('a statement that was cut off is reported with its place in the code, and without its values', async () => {
  const report = describeError(await failureOf(queryTooLong()));
  expect(report).toMatch(/canceling statement due to statement timeout \(in \w/);
  expect(report).not.toContain('secret');
});
