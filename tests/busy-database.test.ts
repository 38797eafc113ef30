import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { expect, test } from 'vitest';
import { PrismaClient } from '@/prisma/client/client';
import { pool, prisma } from '@/server/db';
import { isDatabaseBusy } from '@/server/http/database-busy';
import { whileDatabaseIsBusy } from './harness/busy-database';
import { newDatabase, onDatabaseServer } from './harness/database';

const { url } = await newDatabase();

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

test('a database without a free connection is told from one that fails, at both doors', async () => {
  await whileDatabaseIsBusy(async () => {
    const failures = await Promise.all([
      failureOf(pool().query('SELECT 1')),
      failureOf(prisma().user.findFirst()),
      failureOf(prisma().$transaction((tx) => tx.user.findFirst(), { maxWait: 1_000 })),
      failureOf(prisma().$transaction((tx) => tx.user.findFirst(), { maxWait: 9_000 })),
    ]);
    expect(failures.map(isDatabaseBusy), String(failures)).toEqual([true, true, true, true]);
  });
  const broken = await Promise.all([
    failureOf(pool().query('SELECT nothing')),
    failureOf(prisma().$queryRaw`SELECT nothing`),
  ]);
  expect(broken.map(isDatabaseBusy), String(broken)).toEqual([false, false]);
});

test('so is a server that takes no more connections', async () => {
  const role = `busy_${process.pid}`;
  await onDatabaseServer((client) =>
    client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 0`),
  );
  const connectionString = String(Object.assign(new URL(url), { username: role, password: 'x' }));
  const [hot, slow] = [
    new pg.Pool({ connectionString }),
    new PrismaClient({ adapter: new PrismaPg({ connectionString }) }),
  ];
  try {
    const failures = await Promise.all([failureOf(hot.query('SELECT 1')), failureOf(slow.user.findFirst())]);
    expect(failures.map(isDatabaseBusy), String(failures)).toEqual([true, true]);
  } finally {
    await Promise.all([hot.end(), slow.$disconnect()]);
    await onDatabaseServer((client) => client.query(`DROP ROLE ${role}`));
  }
});
