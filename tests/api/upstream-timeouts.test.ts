import { expect, test } from 'vitest';
import { prisma } from '@/server/db';
import { readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { newPerson, type Person } from '../harness/people';

process.env.UPSTREAM_FIRST_BYTE_SECONDS = '1';
process.env.UPSTREAM_IDLE_SECONDS = '1';
await newDatabase();
const api = await startApi();
const requestLog = api.provider.url.replace('/v1', '/__sandbox/requests');

function ask(person: Person, model: string, stream: boolean): Promise<Response> {
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

test('a provider that does not begin a whole answer in time is not asked twice: it may bill the first', async () => {
  const person = await newPerson({ credits: 10 });
  const response = await ask(person, 'sandbox/slow', false);

  expect([response.status, (await response.json()).error.type]).toEqual([502, 'upstream_error']);
  expect(await callsUpstream()).toBe(1);
  expect(await balanceOf(person)).toBe(10_000_000n);
  expect(await prisma().hold.count()).toBe(0);
});

test('a stream that does not begin in time is asked for again, then refused with a real status', async () => {
  const person = await newPerson({ credits: 10 });
  const response = await ask(person, 'sandbox/slow', true);

  expect([response.status, (await response.json()).error.type]).toEqual([502, 'upstream_error']);
  expect(await callsUpstream()).toBe(2);
  expect(await balanceOf(person)).toBe(10_000_000n);
});

test('a stream that falls silent ends in an error, charged for what came', async () => {
  const person = await newPerson({ credits: 10 });
  const text = await (await ask(person, 'sandbox/stall', true)).text();

  expect(text).toMatch(/"type":"upstream_error"[^\n]*\n\n$/);
  expect(await callsUpstream()).toBe(1);
  const { entries } = await readHistory(
    { userId: person.userId, partnerId: person.partnerId },
    { limit: 1, offset: 0 },
  );
  expect(entries[0]).toMatchObject({ type: 'usage', usage: { estimated: true } });
  expect(entries[0]?.credits).toBeLessThan(0n);
});
