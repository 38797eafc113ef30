import { EventEmitter } from 'node:events';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { inTransaction, onConnection, pool, prisma, querySlowly } from '@/server/base/db';
import { newDatabase } from '../harness/database';
import { buy, hold, newWallet } from '../ledger/wallets';

await newDatabase();

test('a connection that breaks between two statements fails the query, not the process, and is not reused', async () => {
  const failing = onConnection(async (connection) => {
    const { rows } = await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => connection.once('end', resolve));
    await pool().query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await connection.query('SELECT 1');
  });

  await expect(failing).rejects.toThrow(/not queryable|terminat/i);
  expect((await pool().query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('a connection that breaks as it is handed over does not end the process', async () => {
  // Before the code that waits for the connection continues.
  pool().once('acquire', (client) => process.nextTick(() => client.emit('error', new Error('terminated'))));
  expect(await onConnection(async () => 'used')).toBe('used');
});

test('nor does one that breaks as Prisma takes it', async () => {
  const emit = vi.spyOn(pg.Pool.prototype, 'emit').mockImplementation(function (
    this: pg.Pool,
    event,
    ...more
  ) {
    const [client] = more as pg.PoolClient[];
    if (event === 'acquire') process.nextTick(() => client?.emit('error', new Error('terminated')));
    return EventEmitter.prototype.emit.call(this, event, ...more);
  });
  onTestFinished(() => emit.mockRestore());
  expect(await inTransaction(async () => 'used')).toBe('used');
});

test('background queries may take a minute, and no others', async () => {
  const timeout = "SELECT current_setting('statement_timeout') AS timeout";
  expect(await querySlowly(timeout, [])).toEqual([{ timeout: '1min' }]);
  await expect(querySlowly('SELECT 1 / $1::int', [0])).rejects.toThrow('division by zero');
  expect((await pool().query(timeout)).rows).toEqual([{ timeout: '5s' }]);
});

test('a paid request finds a connection, whatever else uses them', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 10);
  const taken = await Promise.all(Array.from({ length: pool().options.max }, () => pool().connect()));
  try {
    await expect(pool().query('SELECT 1')).rejects.toThrow(/timeout exceeded/);
    expect(await hold(wallet, 'A', 1)).toMatchObject({ ok: true });
  } finally {
    for (const client of taken) client.release();
  }
});

test('copies of this code in one thread share its connections: Next bundles it several times', async () => {
  vi.resetModules();
  const copy = await import('@/server/base/db');
  expect(copy.pool).not.toBe(pool);
  expect(copy.pool()).toBe(pool());
  expect(copy.prisma()).toBe(prisma());
});

test('what an earlier test file left running shares no connection with the next file', async () => {
  // As tests/harness/fresh-start.ts prepares the process.
  const slot = Symbol.for('svc database');
  const ours: unknown = Reflect.get(globalThis, slot);
  Reflect.deleteProperty(globalThis, slot);
  vi.resetModules();
  const next = await import('@/server/base/db');
  onTestFinished(async () => {
    await next.closeDatabase();
    Reflect.set(globalThis, slot, ours);
  });
  const late = pool();
  expect(next.pool()).not.toBe(late);
});
