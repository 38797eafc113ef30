import { afterEach, expect, test } from 'vitest';
import { setClock } from '@/server/clock';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { configureProviders, modelOf } from '../harness/custom-providers';
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

/** Fails without being tried twice, so that each request counts once. */
const FAILURE: Reply = { status: 401, body: { error: { message: 'bad key' } } };

const ask = (provider: string): Promise<Response> =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: modelOf(provider), messages: [{ role: 'user', content: 'hi' }] }),
  });

/** A success, so that a test begins without the failures of the one before. */
async function recover(provider: string): Promise<void> {
  upstream.script(provider, completion({ content: 'Hello' }));
  expect((await ask(provider)).status).toBe(200);
}

async function statuses(provider: string, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await ask(provider)).status);
  return found;
}

test('after five failures in a row the provider is left alone; later one request tries, and a success closes it', async () => {
  const begin = Date.now();
  setClock(() => begin);
  upstream.script('alone', FAILURE);
  expect(await statuses('alone', 5)).toEqual([502, 502, 502, 502, 502]);

  const resting = await ask('alone');
  expect(resting.status).toBe(502);
  expect(upstream.seen('alone')).toHaveLength(5);
  // It is worth asking again, and is told when.
  expect(resting.headers.get('retry-after')).toBe('15');
  expect(resting.headers.get('x-should-retry')).toBeNull();

  setClock(() => begin + 15_000);
  expect((await ask('alone')).status).toBe(502);
  expect(upstream.seen('alone')).toHaveLength(6);
  expect((await ask('alone')).status).toBe(502);
  expect(upstream.seen('alone')).toHaveLength(6);

  setClock(() => begin + 30_000);
  upstream.script('alone', completion({ content: 'Hello' }));
  expect(await statuses('alone', 3)).toEqual([200, 200, 200]);
});

test('failures that are not in a row do not open it', async () => {
  await recover('alone');
  upstream.script('alone', ...Array(4).fill(FAILURE), completion({ content: 'Hello' }), FAILURE);
  expect(await statuses('alone', 9)).toEqual([502, 502, 502, 502, 200, 502, 502, 502, 502]);
  expect(upstream.seen('alone')).toHaveLength(9);
});

test('a provider that refuses a request is there: it is not left alone any longer', async () => {
  await recover('alone');
  const refusal: Reply = { status: 400, body: { error: { message: 'bad schema' } } };
  upstream.script('alone', ...Array(4).fill(FAILURE), refusal, FAILURE);
  expect(await statuses('alone', 9)).toEqual([502, 502, 502, 502, 400, 502, 502, 502, 502]);
  expect(upstream.seen('alone')).toHaveLength(9);
});

test('while it rests the next candidate answers, and it is not asked', async () => {
  upstream.script('first', FAILURE);
  upstream.script('second', completion({ content: 'Hello' }));
  expect(await statuses('first', 7)).toEqual(Array(7).fill(200));
  expect([upstream.seen('first').length, upstream.seen('second').length]).toEqual([5, 7]);
});
