import { afterEach, expect, test } from 'vitest';
import { setClock } from '@/server/clock';
import { startApi } from '../harness/api-server';
import { configureProviders, modelOf } from '../harness/custom-providers';
import { newDatabase } from '../harness/database';
import { newPerson } from '../harness/people';
import { completion } from '../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../harness/scripted-upstream';

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'alone', format: 'openai' },
  { provider: 'first', format: 'openai', fallbacks: ['second'] },
  { provider: 'second', format: 'openai' },
]);
const api = await startApi();
const person = await newPerson({ credits: 100 });
afterEach(() => setClock());

/** A failure that is not retried, so that each request counts once. */
const FAILURE: Reply = { status: 401, body: { error: { message: 'bad key' } } };

const send = (provider: string): Promise<Response> =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: modelOf(provider), messages: [{ role: 'user', content: 'hi' }] }),
  });

/** Sends a successful request, which resets the failures of the previous test. */
async function recover(provider: string): Promise<void> {
  upstream.script(provider, completion({ content: 'Hello' }));
  expect((await send(provider)).status).toBe(200);
}

async function statuses(provider: string, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await send(provider)).status);
  return found;
}

test('five failures in a row start a cooldown; then one request probes, and a success ends it', async () => {
  const begin = Date.now();
  setClock(() => begin);
  upstream.script('alone', FAILURE);
  expect(await statuses('alone', 5)).toEqual([502, 502, 502, 502, 502]);

  const refused = await send('alone');
  expect(refused.status).toBe(502);
  expect(upstream.seen('alone')).toHaveLength(5);
  // The client may retry, and Retry-After says when.
  expect(refused.headers.get('retry-after')).toBe('15');
  expect(refused.headers.get('x-should-retry')).toBeNull();

  setClock(() => begin + 15_000);
  expect((await send('alone')).status).toBe(502);
  expect(upstream.seen('alone')).toHaveLength(6);
  expect((await send('alone')).status).toBe(502);
  expect(upstream.seen('alone')).toHaveLength(6);

  setClock(() => begin + 30_000);
  upstream.script('alone', completion({ content: 'Hello' }));
  expect(await statuses('alone', 3)).toEqual([200, 200, 200]);
});

test('failures that are not in a row start no cooldown', async () => {
  await recover('alone');
  upstream.script('alone', ...Array(4).fill(FAILURE), completion({ content: 'Hello' }), FAILURE);
  expect(await statuses('alone', 9)).toEqual([502, 502, 502, 502, 200, 502, 502, 502, 502]);
  expect(upstream.seen('alone')).toHaveLength(9);
});

test('a provider that refuses a request counts as reachable, which resets the failures', async () => {
  await recover('alone');
  const refusal: Reply = { status: 400, body: { error: { message: 'bad schema' } } };
  upstream.script('alone', ...Array(4).fill(FAILURE), refusal, FAILURE);
  expect(await statuses('alone', 9)).toEqual([502, 502, 502, 502, 400, 502, 502, 502, 502]);
  expect(upstream.seen('alone')).toHaveLength(9);
});

test('during a cooldown the next candidate serves the requests', async () => {
  upstream.script('first', FAILURE);
  upstream.script('second', completion({ content: 'Hello' }));
  expect(await statuses('first', 7)).toEqual(Array(7).fill(200));
  expect([upstream.seen('first').length, upstream.seen('second').length]).toEqual([5, 7]);
});
