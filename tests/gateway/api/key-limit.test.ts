import { afterEach, expect, test } from 'vitest';
import { now, SECOND_MS, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { returnIdleHolds } from '@/server/ledger/kept-holds';
import { disablePartner, setAllowedModels } from '@/server/partners/partner';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '6';
await newDatabase();
const api = await startApi();
afterEach(() => setClock());

const BODY = { model: 'sandbox/echo', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };

async function send(key: string, path = '/v1/chat/completions', body: object = BODY) {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { type: string } };
  return { status: response.status, type: error?.type, retryAfter: response.headers.get('retry-after') };
}

/** Uses up the burst that the limit of a key allows. */
async function useUp(key: string): Promise<void> {
  for (let i = 0; i < 6; i++) expect((await send(key)).status).not.toBe(429);
}

test('a key over its limit gets 429 with Retry-After on every path of a model or a kept response; other keys are unaffected', async () => {
  const start = now();
  setClock(() => start);
  const [person, other] = [await newPerson({ credits: 10 }), await newPerson({ credits: 10 })];
  await useUp(person.userKey);
  for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/messages/count_tokens'])
    expect(await send(person.userKey, path)).toEqual({ status: 429, type: 'rate_limited', retryAfter: '10' });
  for (const path of ['/v1/responses/resp_1', '/v1/responses/resp_1/input_items']) {
    const headers = { authorization: `Bearer ${person.userKey}` };
    expect((await fetch(api.url + path, { headers })).status).toBe(429);
  }
  await returnIdleHolds();
  expect(await prisma().hold.count({ where: { userId: person.userId } })).toBe(0);
  expect((await send(other.userKey)).status).toBe(200);

  setClock(() => start + 10 * SECOND_MS);
  expect((await send(person.userKey)).status).toBe(200);
  expect((await send(person.userKey)).status).toBe(429);
});

test('run keys share the limit of the key that they descend from, on all paths @attack', async () => {
  const start = now();
  setClock(() => start);
  const person = await newPerson({ credits: 10 });
  const mint = async (key: string, credits: number): Promise<string> => {
    const response = await fetch(`${api.url}/v1/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ credits }),
    });
    expect(response.status).toBe(200);
    return (await response.json()).user_key;
  };
  const child = await mint(person.userKey, 5);
  const grandchild = await mint(child, 2);
  // Before this instance knows whose key it is, and at once.
  const first = await Promise.all([send(grandchild), send(grandchild), send(child)]);
  expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await send(person.userKey)).status).toBe(200);
  for (const key of [person.userKey, child, grandchild]) expect((await send(key)).status).toBe(429);
  setClock(() => start + 10 * SECOND_MS);
  expect((await send(grandchild)).status).toBe(200);
  expect((await send(person.userKey)).status).toBe(429);
  setClock(() => start + 30 * SECOND_MS);
  expect((await send(person.userKey, '/v1/credits/quote', { endpoint: 'none' })).status).toBe(400);
  expect((await send(await mint(child, 1))).status).toBe(200);
  expect((await send(child)).status).toBe(429);
});

test('a refused request of a run key counts for the key that it descends from @attack', async () => {
  const start = now();
  setClock(() => start);
  const { userKey } = await newPerson();
  const response = await fetch(`${api.url}/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${userKey}` },
    body: JSON.stringify({ credits: 5 }),
  });
  const { user_key: child } = await response.json();
  for (let n = 0; n < 5; n++) expect((await send(child)).status).toBe(402);
  expect((await send(userKey)).status).toBe(429);
});

test('errors in the request or the app come before the rate limit, insufficient credits after it', async () => {
  const start = now();
  setClock(() => start);
  const person = await newPerson();
  for (let i = 0; i < 6; i++) expect((await send(person.userKey)).type).toBe('insufficient_credits');
  expect((await send(person.userKey)).type).toBe('rate_limited');
  expect((await send(person.userKey, undefined, { ...BODY, model: 'sandbox/none' })).type).toBe(
    'model_not_found',
  );
  expect((await send(person.userKey, undefined, { ...BODY, messages: 7 })).type).toBe('invalid_request');

  setClock(() => start + 2 * SECOND_MS);
  await setAllowedModels(person.partnerId, []);
  expect((await send(person.userKey)).type).toBe('model_not_allowed');
  setClock(() => start + 4 * SECOND_MS);
  await disablePartner(person.partnerId);
  expect((await send(person.userKey)).type).toBe('partner_disabled');
});
