import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setClock } from '@/server/base/clock';
import { settings } from '@/server/base/env';
import { countAttempt } from '@/server/base/rate-limit/attempts';
import { takeKeyTurn } from '@/server/base/rate-limit/key-turns';
import { closeRedis } from '@/server/base/rate-limit/redis';

/** A Redis that accepts connections and never responds: the worst kind of outage. */
const unresponsive = createServer(() => {});

beforeAll(async () => {
  await new Promise<void>((resolve) => unresponsive.listen(0, '127.0.0.1', resolve));
  Object.assign(settings(), {
    REDIS_URL: `redis://127.0.0.1:${(unresponsive.address() as AddressInfo).port}`,
    LIMIT_REQUESTS_PER_KEY_PER_MINUTE: 60,
  });
});
afterAll(async () => {
  setClock();
  await closeRedis();
  unresponsive.close();
});

it('a Redis that does not answer delays no paid request; the limit still holds in memory', () => {
  setClock(() => 0);
  const key = Buffer.alloc(32, 1);
  // Reported without a promise: there is nothing to wait for.
  const waits = Array.from({ length: 70 }, () => takeKeyTurn(key));
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(60);
});

it('limits outside paid requests fall back to memory', async () => {
  const waits = [];
  for (let i = 0; i < 4; i++) waits.push(await countAttempt('test', '203.0.113.9', 3));
  expect(waits.map((waitMs) => waitMs > 0)).toEqual([false, false, false, true]);
});
