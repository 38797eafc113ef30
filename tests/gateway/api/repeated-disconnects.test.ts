import { afterEach, expect, test } from 'vitest';
import { now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { returnIdleHolds } from '@/server/ledger/kept-holds';
import { startApi } from '../../harness/api-server';
import { type BillingCall, startBillingUpstream } from '../../harness/billing-upstream';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { until } from '../../harness/until';

/** A user whose clients keep disconnecting while the provider works unseen may run fewer requests at a time. */

await newDatabase();
const upstream = await startBillingUpstream();
process.env.OPENAI_API_KEY = 'key-of-the-test';
process.env.OPENAI_BASE_URL = upstream.url;
const api = await startApi();
afterEach(() => setClock());
upstream.answer({ inputTokens: 10, reasoningTokens: 100, first: ['Hi'], rest: [] });

const send = ({ userKey }: Person, signal?: AbortSignal): Promise<Response> =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}` },
    body: JSON.stringify({
      model: 'openai/o3',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
    ...(signal && { signal }),
  });

/** Sends a request and disconnects while the provider works on it. */
async function disconnect(person: Person): Promise<BillingCall> {
  const controller = new AbortController();
  const called = upstream.nextCall();
  send(person, controller.signal).catch(() => {});
  const call = await called;
  controller.abort();
  // The server reads the next connection after the end of this one.
  await fetch(`${api.url}/v1/models`).then((models) => models.text());
  return call;
}

async function holds({ userId }: Person, expected: number): Promise<void> {
  await until(
    async () => {
      await returnIdleHolds();
      return prisma().hold.count({ where: { userId } });
    },
    (count) => count === expected,
  );
}

async function disconnectAndSettle(person: Person, times: number): Promise<void> {
  for (let count = 0; count < times; count++) (await disconnect(person)).proceed();
  await holds(person, 0);
}

test('after eleven disconnects a third request at a time gets 429, until one of them is forgotten', async () => {
  const startMs = now();
  setClock(() => startMs);
  const person = await newPerson({ credits: 100 });
  const other = await newPerson({ credits: 100 });
  await disconnectAndSettle(person, 9);
  const running = [await disconnect(person), await disconnect(person)];

  const refused = await send(person);
  const { error } = await refused.json();
  expect([refused.status, error.type, refused.headers.get('retry-after')]).toEqual([
    429,
    'rate_limited',
    '10',
  ]);
  expect(error.message).toContain('only 2 requests may run at the same time');
  await holds(person, 2);
  const others = [await disconnect(other), await disconnect(other), await disconnect(other)];

  setClock(() => startMs + 61_000);
  running.push(await disconnect(person));
  for (const call of [...running, ...others]) call.proceed();
  await holds(person, 0);
  await holds(other, 0);
});

test('a user who disconnects often may still run two requests at a time', async () => {
  const person = await newPerson({ credits: 100 });
  await disconnectAndSettle(person, 15);
  const running = [await disconnect(person), await disconnect(person)];
  expect((await send(person)).status).toBe(429);
  for (const call of running) call.proceed();
  await holds(person, 0);
});
