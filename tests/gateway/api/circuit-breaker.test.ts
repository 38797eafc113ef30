import { afterEach, expect, test } from 'vitest';
import { setClock } from '@/server/base/clock';
import { providersInCooldown } from '@/server/gateway/run/circuit-breaker';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { completion } from '../../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../../harness/scripted-upstream';

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'alone', format: 'openai' },
  { provider: 'first', format: 'openai', fallbacks: ['second'] },
  { provider: 'second', format: 'openai' },
  { provider: 'third', format: 'openai' },
]);
process.env.OPENAI_API_KEY = 'not a\nheader';
process.env.OPENAI_BASE_URL = upstream.url;
const api = await startApi();
const person = await newPerson({ credits: 100 });
afterEach(() => setClock());

/** A failure that is not retried, so that each request counts once. */
const FAILURE: Reply = { status: 401, body: { error: { message: 'bad key' } } };

const send = (provider: string, { userKey } = person): Promise<Response> =>
  fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: provider === 'openai' ? 'openai/gpt-4.1-mini' : modelOf(provider),
      messages: [{ role: 'user', content: 'hi' }],
    }),
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

test.each<[string, string, Reply]>([
  ['with which a provider fails', 'alone', { status: 500, body: { error: { message: 'failed' } } }],
  ['to which a provider breaks the connection', 'second', { breaksOff: true }],
  [
    'over which a provider refuses our account',
    'third',
    { status: 402, body: { error: { message: 'pay' } } },
  ],
])('requests of one user %s start no cooldown for another @attack', async (_, provider, failure) => {
  const begin = Date.now();
  setClock(() => begin);
  const [attacker, other] = [await newPerson({ credits: 100 }), await newPerson({ credits: 100 })];
  upstream.script(provider, failure);
  upstream.script('second', failure);
  await Promise.all(Array.from({ length: 6 }, () => send(provider, attacker)));
  const before = upstream.seen(provider).length;
  expect((await send(provider, attacker)).headers.get('retry-after')).toBe('15');
  expect(upstream.seen(provider)).toHaveLength(before);

  upstream.script(provider, completion({ content: 'Hello' }));
  expect((await send(provider, other)).status).toBe(200);
});

test('a request that we cannot send is our error, and the provider gets no cooldown @attack', async () => {
  const found: unknown[] = [];
  for (let i = 0; i < 6; i++) {
    const response = await send('openai');
    found.push([response.status, (await response.json()).error.type]);
  }
  expect(found).toEqual(Array(6).fill([500, 'internal_error']));
  expect(providersInCooldown().map(({ provider }) => provider)).not.toContain('openai');
});

test('a base URL that lacks an endpoint starts no cooldown for the others', async () => {
  upstream.script('alone', { status: 404, body: 'Not Found' });
  expect(await statuses('alone', 6)).toEqual(Array(6).fill(502));
  await recover('alone');
});
