import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { isDatabaseBusy } from '@/server/http/database-busy';
import { newDatabase } from '../harness/database';
import { buy, hold, newWallet } from './wallets';

/** A way to the database that can go silent: what is sent arrives nowhere, and nobody says so. */
const { url } = await newDatabase();
const { hostname, port } = new URL(url);
const open = new Set<Socket>();
const way = createServer((near) => {
  const far = connect(Number(port), hostname);
  for (const socket of [near, far]) open.add(socket.on('error', () => {}));
  near.pipe(far).pipe(near);
});
await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
process.env.DATABASE_URL = String(Object.assign(new URL(url), { port: (way.address() as AddressInfo).port }));
afterAll(() => {
  for (const socket of open) socket.destroy();
  way.close();
});

const goSilent = () => {
  for (const socket of open) socket.unpipe().pause();
};

test('a database that vanished without a word holds a paid request up for ten seconds, and the next one not at all', async () => {
  const wallet = await newWallet(['A']);
  await buy(wallet, 'A', 10);
  expect(await hold(wallet, 'A', 1)).toMatchObject({ ok: true });
  goSilent();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let failure: unknown;
    const lost = hold(wallet, 'A', 1).catch((error: unknown) => {
      failure = error;
    });
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(9_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failure).toBeUndefined();
    vi.advanceTimersByTime(1);
    await lost;
    expect(isDatabaseBusy(failure), String(failure)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
  expect(await hold(wallet, 'A', 1)).toMatchObject({ ok: true });
});
