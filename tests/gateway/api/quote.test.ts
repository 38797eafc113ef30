import { afterEach, expect, test } from 'vitest';
import { now, setClock } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { setAllowedModels } from '@/server/partners/partner';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

process.env.LIMIT_REQUESTS_PER_KEY_PER_MINUTE = '30';
await newDatabase();
const api = await startApi();
afterEach(() => setClock());

const QUESTION = 'Tell me about the sea';
const REQUESTS = {
  '/v1/chat/completions': {
    model: 'sandbox/echo',
    max_tokens: 50,
    messages: [{ role: 'user', content: QUESTION }],
  },
  '/v1/messages': { model: 'sandbox/echo', max_tokens: 50, messages: [{ role: 'user', content: QUESTION }] },
  '/v1/responses': { model: 'sandbox/echo', max_output_tokens: 50, input: QUESTION },
  '/v1/embeddings': { model: 'sandbox/embed', input: QUESTION },
  '/v1/moderations': { model: 'sandbox/moderation', input: QUESTION },
  '/v1/rerank': { model: 'sandbox/rerank', query: QUESTION, documents: Array(150).fill(QUESTION) },
  '/v1/ocr': {
    model: 'sandbox/ocr',
    document: { type: 'image_url', image_url: 'https://example.com/a.png' },
  },
};
const CHAT = '/v1/chat/completions';

type Answer = { status: number; headers: Headers; body: Record<string, unknown> & { error?: object } };

async function post(key: string, path: string, body: unknown, headers = {}): Promise<Answer> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const quote = (key: string, endpoint: unknown, request: unknown) =>
  post(key, '/v1/credits/quote', { endpoint, request });

async function readReceipt(key: string, { headers }: Answer) {
  const id = headers.get('x-request-id');
  const response = await fetch(`${api.url}/v1/credits/receipts/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return (await response.json()) as { held_credits: number; charged_credits: number };
}

test.each(Object.entries(REQUESTS))(
  'the maximum of a quote for %s is what is then held',
  async (path, request) => {
    const { userKey } = await newPerson({ credits: 100 });
    const { body: quoted } = await quote(userKey, path, request);
    const { held_credits, charged_credits } = await readReceipt(userKey, await post(userKey, path, request));
    expect(quoted.maximum).toBe(held_credits);
    expect(charged_credits).toBeLessThanOrEqual(held_credits);
    expect(quoted.likely).toBeLessThanOrEqual(held_credits);
  },
);

test('the likely price follows the output of the last requests to the model in the app', async () => {
  const { userKey } = await newPerson({ credits: 100 });
  const first = await quote(userKey, CHAT, REQUESTS[CHAT]);
  expect(first.body.basis).toMatchObject({ method: 'typical_output', requests: 0, output_tokens: 50 });
  const charges: number[] = [];
  for (let n = 0; n < 3; n++)
    charges.push((await readReceipt(userKey, await post(userKey, CHAT, REQUESTS[CHAT]))).charged_credits);
  const { body } = await quote(userKey, CHAT, REQUESTS[CHAT]);
  expect(body.basis).toMatchObject({ method: 'recent_requests', requests: 3 });
  const [charge = Number.NaN] = charges;
  expect(Math.abs(Number(body.likely) / charge - 1)).toBeLessThan(0.2);
});

test('a quote holds and charges nothing', async () => {
  const { userKey, userId } = await newPerson();
  expect((await quote(userKey, CHAT, REQUESTS[CHAT])).status).toBe(200);
  expect(await prisma().hold.count({ where: { userId } })).toBe(0);
  expect(await prisma().ledgerTransaction.count({ where: { userId } })).toBe(0);
});

test.each([
  ['another endpoint', '/v1/models', REQUESTS[CHAT], 'endpoint'],
  ['no endpoint', undefined, REQUESTS[CHAT], 'endpoint'],
  ['the name of a method as an endpoint', 'toString', REQUESTS[CHAT], 'endpoint'],
  ['a request as text', CHAT, JSON.stringify(REQUESTS[CHAT]), 'request'],
  ['no request', CHAT, undefined, 'request'],
  ['no model', CHAT, { messages: [] }, 'model'],
  ['a model of another type', '/v1/embeddings', REQUESTS[CHAT], 'model'],
  ['a wrong field', CHAT, { ...REQUESTS[CHAT], max_tokens: 'many' }, 'max_tokens'],
])('a quote with %s is refused, naming the field', async (_, endpoint, request, param) => {
  const { userKey } = await newPerson();
  const { status, body } = await quote(userKey, endpoint, request);
  expect({ status, error: body.error }).toMatchObject({
    status: 400,
    error: { type: 'invalid_request', param },
  });
});

test('a quote needs a live key, a model of the app, and a turn within the limit of the key', async () => {
  const start = now();
  setClock(() => start);
  const { userKey } = await newPerson();
  const restricted = await newPerson();
  await setAllowedModels(restricted.partnerId, ['sandbox/story']);
  expect((await quote('svc_sk_wrong', CHAT, REQUESTS[CHAT])).status).toBe(401);
  expect((await quote(restricted.userKey, CHAT, REQUESTS[CHAT])).status).toBe(403);
  const statuses: number[] = [];
  for (let n = 0; n < 31; n++) statuses.push((await quote(userKey, CHAT, REQUESTS[CHAT])).status);
  expect(statuses.at(-1)).toBe(429);
});

test('a request sent with a quote costs at most its maximum, even if the commission has been raised since', async () => {
  const { userKey, partnerId } = await newPerson({ credits: 100 });
  const { body: quoted } = await quote(userKey, CHAT, REQUESTS[CHAT]);
  await prisma().partner.update({ where: { id: partnerId }, data: { rateBp: 9_000 } });
  const headers = { 'x-svc-quote': String(quoted.id) };
  const answer = await post(userKey, CHAT, REQUESTS[CHAT], headers);
  expect(answer.status).toBe(200);
  expect((await readReceipt(userKey, answer)).held_credits).toBe(quoted.maximum);

  const lower = await post(userKey, CHAT, REQUESTS[CHAT], { ...headers, 'x-svc-max-credits': '0.000001' });
  expect([lower.status, lower.body.error]).toMatchObject([402, { param: 'max_credits' }]);
});

test('a quote ends after ten minutes, and belongs to its key', async () => {
  const start = now();
  setClock(() => start);
  const { userKey } = await newPerson({ credits: 100 });
  const other = await newPerson({ credits: 100 });
  const { body: quoted } = await quote(userKey, CHAT, REQUESTS[CHAT]);
  const headers = { 'x-svc-quote': String(quoted.id) };
  const refused = { error: { type: 'invalid_request', param: 'quote' } };
  expect((await post(other.userKey, CHAT, REQUESTS[CHAT], headers)).body).toMatchObject(refused);
  for (const id of ['', 'quo_', `${quoted.id}A`, `quo_${'A'.repeat(200)}`, 'x'.repeat(2_000)])
    expect((await post(userKey, CHAT, REQUESTS[CHAT], { 'x-svc-quote': id })).body).toMatchObject(refused);
  setClock(() => Date.parse(String(quoted.expires_at)) - 1);
  expect((await post(userKey, CHAT, REQUESTS[CHAT], headers)).status).toBe(200);
  setClock(() => Date.parse(String(quoted.expires_at)));
  expect((await post(userKey, CHAT, REQUESTS[CHAT], headers)).body).toMatchObject(refused);
});
