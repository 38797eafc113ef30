import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, setClock } from '@/server/base/clock';
import { pool } from '@/server/base/db';
import {
  countProviderCall,
  countResponse,
  forgetOldStatus,
  STATUS_DAYS,
} from '@/server/gateway/counts/status-counts';
import { writeCounts } from '@/server/reports/activity/keep';
import { readServiceStatus } from '@/server/reports/activity/service-status';
import { newDatabase } from '../../harness';
import { configureProviders } from '../../harness/custom-providers';

await newDatabase();
configureProviders('http://127.0.0.1:1', [
  { provider: 'fast', format: 'openai' },
  { provider: 'idle', format: 'openai' },
]);

let atMs = Date.parse('2026-03-10T12:00:00Z');

beforeEach(async () => {
  await pool().query('TRUNCATE status_count');
  // Later than what the tests before have kept.
  atMs += 2 * DAY_MS;
  setClock(() => atMs);
});
afterEach(() => setClock());

const repeat = (times: number, work: () => void) => Array.from({ length: times }, work);

async function read() {
  await writeCounts([]);
  const { parts, providers } = await readServiceStatus();
  return {
    part: Object.fromEntries(parts.map(({ part, ...status }) => [part, status])),
    provider: Object.fromEntries(providers.map(({ provider, ...status }) => [provider, status])),
  };
}

test('the status has the share of successes and the median time of the last hour', async () => {
  repeat(5, () => countProviderCall('fast', 'ok', 180));
  repeat(4, () => countProviderCall('fast', 'ok', 2_000));
  countProviderCall('fast', 'unavailable', 10);
  const { provider, part } = await read();
  expect(provider.fast).toMatchObject({ okShare: 0.9, medianMs: expect.closeTo(190, -1) });
  expect(provider.idle).toMatchObject({ state: 'unused', okShare: null, medianMs: null });
  expect(part.requests).toMatchObject({ state: 'unused' });
});

test.each([
  [2, 2, 'working'],
  [97, 3, 'degraded'],
  [997, 3, 'working'],
  [10, 3, 'failing'],
])('with %i successes and %i failures a part is %s', async (successes, failures, state) => {
  repeat(successes, () => countResponse('/v1/chat/completions', 200));
  repeat(failures, () => countResponse('/v1/chat/completions', 503));
  expect((await read()).part.requests?.state).toBe(state);
});

test('what a client or a provider caused says nothing about the service', async () => {
  for (const status of [400, 401, 402, 404, 429, 499, 502]) {
    countResponse('/v1/chat/completions', status);
    countResponse('/v1/credits/checkout', status);
    countResponse('/auth/token', status);
  }
  for (const outcome of ['request', 'model', 'reasoning', 'disconnected'])
    countProviderCall('fast', outcome, 5);
  const { part, provider } = await read();
  const states = [...Object.values(part), ...Object.values(provider)].map(({ state }) => state);
  expect(new Set(states)).toEqual(new Set(['unused']));
});

test('checkout and sign-in are measured on their own routes', async () => {
  repeat(3, () => countResponse('/v1/credits/checkout/[id]', 500));
  countResponse('/sign-in', 200);
  countResponse('/docs', 500);
  const { part } = await read();
  expect(part).toMatchObject({
    requests: { state: 'unused' },
    checkout: { state: 'failing', okShare: 0 },
    sign_in: { state: 'working', okShare: 1 },
  });
});

test('a failure leaves the last hour but stays in its day for 90 days', async () => {
  repeat(3, () => countResponse('/v1/messages', 500));
  countResponse('/v1/messages', 200);
  await writeCounts([]);
  atMs += HOUR_MS + 5 * MINUTE_MS;
  const after = (await read()).part.requests;
  expect(after).toMatchObject({ state: 'unused', okShare: null });
  expect(after?.days).toHaveLength(STATUS_DAYS);
  expect(after?.days.at(-1)).toEqual({ day: new Date(atMs).toISOString().slice(0, 10), okShare: 0.25 });

  atMs += (STATUS_DAYS - 1) * DAY_MS;
  await forgetOldStatus();
  expect((await read()).part.requests?.days[0]?.okShare).toBe(0.25);
  atMs += 3 * DAY_MS;
  await forgetOldStatus();
  expect((await pool().query('SELECT FROM status_count')).rowCount).toBe(0);
});

test('readers share what was read for half a minute', async () => {
  const first = await readServiceStatus();
  atMs += 29_000;
  expect(await readServiceStatus()).toBe(first);
  atMs += 1_000;
  expect(await readServiceStatus()).not.toBe(first);
});

test('a failed read is repeated after five seconds, not for each reader', async () => {
  await pool().query('ALTER TABLE status_count RENAME TO missing');
  await expect(readServiceStatus()).rejects.toThrow();
  await pool().query('ALTER TABLE missing RENAME TO status_count');
  await expect(readServiceStatus()).rejects.toThrow();
  atMs += 5_000;
  await expect(readServiceStatus()).resolves.toMatchObject({ parts: expect.any(Array) });
});
