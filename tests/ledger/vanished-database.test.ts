import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
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
afterAll(() => {
  for (const socket of open) socket.destroy();
  proxy.close();
});

const goSilent = () => {
  for (const socket of open) socket.unpipe().pause();
};

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
