import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { closeDatabase, inSlowTransaction, inTransaction, pool, prisma, querySlowly } from '@/server/base/db';
import { isDatabaseBusy } from '@/server/base/http/database-busy';
import { newDatabase } from '../harness/database';
import { buy, hold, newWallet } from './wallets';

/** A proxy to the database that can go silent: it drops what is sent without closing a connection. */
const { url } = await newDatabase();
const { hostname, port } = new URL(url);
const open = new Set<Socket>();
const proxy = createServer((client) => {
  const database = connect(Number(port), hostname);
  for (const socket of [client, database]) open.add(socket.on('error', () => {}));
  client.pipe(database).pipe(client);
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
process.env.DATABASE_URL = String(
  Object.assign(new URL(url), { port: (proxy.address() as AddressInfo).port }),
);
afterEach(async () => {
  for (const socket of open) socket.destroy();
  await closeDatabase();
});
afterAll(() => void proxy.close());

const goSilent = () => {
  for (const socket of open) socket.unpipe().pause();
};

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

function newSignal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** Timers are not real. */
async function passSeconds(seconds: number): Promise<void> {
  for (let turns = 0; turns < 10; turns++) await nextTurn();
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  for (let turns = 0; turns < 10; turns++) await nextTurn();
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a database that goes silent delays the pending paid requests for ten seconds and later ones not at all', async () => {
  const wallets = await Promise.all(Array.from({ length: 4 }, () => newWallet(['A'])));
  for (const wallet of wallets) await buy(wallet, 'A', 10);
  const holdEach = () => Promise.allSettled(wallets.map((wallet) => hold(wallet, 'A', 1)));
  const isHeld = { status: 'fulfilled', value: { ok: true } };
  expect(await holdEach()).toMatchObject(wallets.map(() => isHeld));

  goSilent();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let lost: PromiseSettledResult<unknown>[] | undefined;
    const holds = holdEach().then((outcomes) => {
      lost = outcomes;
    });
    await nextTurn();
    vi.advanceTimersByTime(9_999);
    await nextTurn();
    expect(lost).toBeUndefined();
    vi.advanceTimersByTime(1);
    await holds;
    const busy = lost?.map((outcome) => outcome.status === 'rejected' && isDatabaseBusy(outcome.reason));
    expect(busy).toEqual(wallets.map(() => true));
  } finally {
    vi.useRealTimers();
  }
  expect(await holdEach()).toMatchObject(wallets.map(() => isHeld));
});

test('one that goes silent ends every other query after seven seconds, and its connections are not used again', async () => {
  const inMidTransaction = newSignal();
  const silent = newSignal();
  const begun = inTransaction(async (tx) => {
    await tx.$queryRaw`SELECT 1`;
    inMidTransaction.give();
    await silent.given;
    return tx.$queryRaw`SELECT 1`;
  });
  await Promise.all([pool().query('SELECT 1'), inMidTransaction.given]);
  await prisma().$queryRaw`SELECT 1`;

  goSilent();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    silent.give();
    const rolledBack = failureOf(begun);
    const lost = [pool().query('SELECT 1'), prisma().$queryRaw`SELECT 1`].map(failureOf);
    await passSeconds(7);
    for (const failure of lost) expect(isDatabaseBusy(await failure)).toBe(true);
    // Prisma tries to roll it back, for as long.
    await passSeconds(7);
    expect(isDatabaseBusy(await rolledBack)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
  const again = Array.from({ length: pool().options.max }, () => [
    pool().query('SELECT 1'),
    inTransaction((tx) => tx.$queryRaw`SELECT 1`),
  ]);
  await Promise.all(again.flat());
});

test('a statement of a background query may take a minute, and then its server has vanished', async () => {
  const running = newSignal();
  const silent = newSignal();
  const work = inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
    running.give();
    await silent.given;
    await client.query('SELECT 1');
  });
  await running.given;
  goSilent();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let failure: unknown;
    const failed = failureOf(work).then((error) => {
      failure = error;
    });
    silent.give();
    await passSeconds(61.9);
    expect(failure).toBeUndefined();
    await passSeconds(0.1);
    await failed;
    expect(isDatabaseBusy(failure)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
  expect(await querySlowly('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
});
