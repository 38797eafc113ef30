import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createSvcFetch, type KeyFetchOptions, type Need } from './fetch';

/** The service and another site, which answer as scripted and note what they received. */

type Answer =
  | number
  | { status: number; error: Record<string, unknown> }
  | { location: string }
  | 'broken'
  | 'breaks off'
  | 'hangs';
type Seen = {
  path: string;
  key: string | undefined;
  name: string | undefined;
  body: string;
  given: IncomingMessage;
};

const seen: Seen[] = [];
const answers: Answer[] = [];

async function startSite(): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization: key, 'idempotency-key': name } = request.headers;
    seen.push({ path: request.url ?? '', key, name: name as string | undefined, body, given: request });
    const answer = answers.shift() ?? 200;
    if (answer === 'hangs') return;
    if (answer === 'broken') return void request.socket.destroy();
    if (answer === 'breaks off') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write('data: 1\n\n', () => request.socket.destroy());
    }
    if (typeof answer === 'object' && 'location' in answer) return void response.writeHead(307, answer).end();
    const { status, error } = typeof answer === 'number' ? { status: answer, error: {} } : answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { ok: true } : { error: { type: 'other', ...error } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const service = await startSite();
const elsewhere = await startSite();
const chat = `${service}/v1/chat/completions`;

const BROKE = {
  status: 402,
  error: { type: 'insufficient_credits', param: null, action_url: 'https://pay' },
};
const REVOKED = { status: 401, error: { type: 'invalid_user_key' } };

beforeEach(() => {
  seen.length = 0;
  answers.length = 0;
});

function open(given: Partial<KeyFetchOptions> = {}) {
  const needs: Need[] = [];
  const svcFetch = createSvcFetch({
    service,
    getUserKey: () => 'svc_sk_one',
    onNeed: (need) => needs.push(need) > 0,
    ...given,
  });
  const post = (body = '{"model":"a"}', init: RequestInit = {}) =>
    svcFetch(chat, { method: 'POST', body, ...init });
  return { svcFetch, post, needs };
}

test('a 402 asks the user, and the same request is sent again with the same Idempotency-Key', async () => {
  answers.push(BROKE);
  const { post, needs } = open();
  expect((await post()).status).toBe(200);
  expect(needs).toMatchObject([{ status: 402, actionUrl: 'https://pay' }]);
  const [first, second] = seen;
  expect(seen).toHaveLength(2);
  expect(first?.name).toMatch(/^svc-[0-9a-f]{32}$/);
  expect([second?.name, second?.body, second?.key]).toEqual([first?.name, first?.body, 'Bearer svc_sk_one']);
});

test('an Idempotency-Key of the app is kept, and with idempotent: false none is added', async () => {
  answers.push(BROKE);
  await open().post('{}', { headers: { 'Idempotency-Key': 'mine' } });
  await open({ idempotent: false }).post();
  expect(seen.map(({ name }) => name)).toEqual(['mine', 'mine', undefined]);
});

test.each<[string, Answer]>([
  [
    'a 402 that names a parameter',
    { status: 402, error: { type: 'partner_limit_reached', param: 'max_credits' } },
  ],
  ['a 402 of something else', 402],
  ['a 401 of something else', { status: 401, error: { type: 'invalid_publishable_key' } }],
  ...[400, 403, 404, 408, 409, 429, 500, 502, 503].map((status): [string, Answer] => [`a ${status}`, status]),
])('%s is returned as it is, without a question', async (_, answer) => {
  answers.push(answer);
  const { post, needs } = open();
  expect((await post()).ok).toBe(false);
  expect([needs.length, seen.length]).toEqual([0, 1]);
});

test('a lost response is not repeated, and a retry by the SDK has the same Idempotency-Key', async () => {
  answers.push('broken', 503);
  const { post, needs } = open();
  await expect(post()).rejects.toThrow();
  expect([needs.length, seen.length]).toEqual([0, 1]);
  expect((await post()).status).toBe(503);
  expect((await post()).status).toBe(200);
  // That one was answered: the next one is another request, and so is one with another body.
  await post();
  await post('{"model":"b"}');
  const names = seen.map(({ name }) => name);
  expect(names.slice(1, 3)).toEqual([names[0], names[0]]);
  expect(new Set(names).size).toBe(3);
});

test('a response that breaks off is lost: the same request again has the same Idempotency-Key @attack', async () => {
  answers.push('breaks off', 'breaks off');
  const { post } = open();
  await expect((await post()).text()).rejects.toThrow();
  await expect((await post()).text()).rejects.toThrow();
  expect(await (await post()).json()).toEqual({ ok: true });
  await post();
  const names = seen.map(({ name }) => name);
  expect(names.slice(1, 3)).toEqual([names[0], names[0]]);
  expect(names[3]).not.toBe(names[0]);
});

test('a response that the app stops is not lost', async () => {
  const { post } = open();
  await (await post()).body?.cancel();
  const abort = new AbortController();
  answers.push('breaks off');
  const stopped = await post('{}', { signal: abort.signal });
  abort.abort();
  await expect(stopped.text()).rejects.toThrow();
  await post();
  await post('{}');
  expect(new Set(seen.map(({ name }) => name)).size).toBe(4);
});

test('a user who closes the checkout gets the 402, and so does one who bought too little', async () => {
  answers.push(BROKE, BROKE, BROKE);
  expect((await open({ onNeed: () => false }).post()).status).toBe(402);
  const { post, needs } = open();
  expect((await post()).status).toBe(402);
  expect([needs.length, seen.length]).toEqual([1, 3]);
});

test('requests that are refused at the same time ask once, and a late one does not ask again', async () => {
  let buy = (_done: boolean) => {};
  const bought = new Promise<boolean>((resolve) => {
    buy = resolve;
  });
  const onNeed = vi.fn(() => bought);
  answers.push(BROKE, BROKE, BROKE);
  const { post } = open({ onNeed });
  const all = [post('1'), post('2'), post('3')];
  await vi.waitFor(() => expect(seen).toHaveLength(3));
  buy(true);
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(onNeed).toHaveBeenCalledTimes(1);
});

test('a revoked key asks for sign-in, and the request goes on with the new key', async () => {
  answers.push(REVOKED);
  let key = 'svc_sk_old';
  const { post } = open({
    getUserKey: () => key,
    onNeed: () => {
      key = 'svc_sk_new';
      return true;
    },
  });
  expect((await post()).status).toBe(200);
  expect(seen.map((one) => one.key)).toEqual(['Bearer svc_sk_old', 'Bearer svc_sk_new']);
});

test('without a key the user is asked once before the request, which is sent without one if they decline', async () => {
  answers.push({ status: 401, error: { type: 'missing_api_key' } });
  const onNeed = vi.fn(() => false);
  const { post } = open({ getUserKey: () => null, onNeed });
  const headers = { authorization: 'Bearer placeholder', 'x-api-key': 'placeholder' };
  expect((await post('{}', { headers })).status).toBe(401);
  expect(onNeed).toHaveBeenCalledTimes(1);
  expect([seen[0]?.key, seen[0]?.given.headers['x-api-key']]).toEqual([undefined, undefined]);
});

test('the key of the user is sent to the service only @attack', async () => {
  const { svcFetch, needs } = open();
  answers.push(BROKE, 200);
  const headers = { authorization: 'Bearer of the other' };
  for (const target of [elsewhere, new URL(elsewhere), new Request(elsewhere)])
    await svcFetch(target, { headers });
  expect(seen.map(({ key }) => key)).toEqual(Array(3).fill('Bearer of the other'));
  expect(needs).toEqual([]);
});

test('a redirect takes neither the key nor the request elsewhere @attack', async () => {
  answers.push({ location: elsewhere }, { location: elsewhere });
  const { svcFetch, post } = open();
  expect((await post('{"prompt":"mine"}', { redirect: 'follow' })).status).toBe(307);
  expect((await svcFetch(`${service}/v1/models`)).status).toBe(307);
  expect(seen.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/models']);
});

test('a Request is sent again with its body, and a stream, which can be read once, is not', async () => {
  const { svcFetch, needs } = open();
  answers.push(BROKE);
  expect((await svcFetch(new Request(chat, { method: 'POST', body: 'whole' }))).status).toBe(200);
  expect(seen.map(({ body }) => body)).toEqual(['whole', 'whole']);
  answers.push(BROKE);
  const body = new Blob(['once']).stream();
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  expect((await svcFetch(chat, init)).status).toBe(402);
  expect([needs.length, seen.length]).toEqual([1, 3]);
});

test('a request that is aborted while the user is asked ends at once, and is not sent again', async () => {
  answers.push(BROKE);
  const abort = new AbortController();
  const { post } = open({
    onNeed: () => {
      abort.abort(new Error('stopped'));
      return new Promise<boolean>(() => {});
    },
  });
  await expect(post('{}', { signal: abort.signal })).rejects.toThrow('stopped');
  expect(seen).toHaveLength(1);
});

test('on a server without getUserKey, the request is sent without a key, and one line says what to pass', async () => {
  const lines = vi.spyOn(console, 'error').mockImplementation(() => {});
  answers.push({ status: 401, error: { type: 'missing_api_key' } });
  const svcFetch = createSvcFetch({ service, publishableKey: 'svc_pk_0123456789abcdef' });
  expect((await svcFetch(chat, { method: 'POST', body: '{}' })).status).toBe(401);
  expect(lines.mock.calls).toEqual([[expect.stringMatching(/^\[svc\] .*getUserKey/)]]);
  lines.mockRestore();
});
