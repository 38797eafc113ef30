import { expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { endBackgroundReads } from '@/server/gateway/run/background-reads';
import { readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { until } from '../../harness/until';

process.env.UPSTREAM_FIRST_BYTE_SECONDS = '1';
process.env.UPSTREAM_IDLE_SECONDS = '1';
await newDatabase();
const api = await startApi();
const requestLog = api.provider.url.replace('/v1', '/__sandbox/requests');

function send(person: Person, model: string, stream: boolean): Promise<Response> {
  return fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Tell me of the sea' }] }),
  });
}

async function callsUpstream(): Promise<number> {
  const { requests } = await fetch(requestLog).then((response) => response.json());
  await fetch(requestLog, { method: 'DELETE' });
  return requests.length;
}

const balanceOf = async ({ userId, partnerId }: Person) => (await readSpendable(userId, partnerId)).balance;

test('a non-streaming request that times out is not retried, but charged, because the provider may bill it', async () => {
  const person = await newPerson({ credits: 10 });
  const response = await send(person, 'sandbox/slow', false);

  expect([response.status, (await response.json()).error.type]).toEqual([502, 'upstream_error']);
  expect(await callsUpstream()).toBe(1);
  endBackgroundReads();
  await until(
    () => prisma().hold.count(),
    (holds) => holds === 0,
  );
  expect(await balanceOf(person)).toBeLessThan(10_000_000n);
});

test('a stream that does not begin in time is retried, then refused with 502', async () => {
  const person = await newPerson({ credits: 10 });
  const response = await send(person, 'sandbox/slow', true);

  expect([response.status, (await response.json()).error.type]).toEqual([502, 'upstream_error']);
  expect(await callsUpstream()).toBe(2);
  expect(await balanceOf(person)).toBe(10_000_000n);
});

test('a stream that stalls ends in an error, and what arrived is charged', async () => {
  const person = await newPerson({ credits: 10 });
  const text = await (await send(person, 'sandbox/stall', true)).text();

  expect(text).toMatch(/"type":"upstream_error"[^\n]*\n\n$/);
  expect(await callsUpstream()).toBe(1);
  const { entries } = await readHistory(
    { userId: person.userId, partnerId: person.partnerId },
    { limit: 1, offset: 0 },
  );
  expect(entries[0]).toMatchObject({ type: 'usage', usage: { estimated: true } });
  expect(entries[0]?.credits).toBeLessThan(0n);
});
