import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { POST as complete } from '@/app/v1/chat/completions/route.api';
import { POST as createMessage } from '@/app/v1/messages/route.api';
import { SECOND_MS } from '@/server/base/clock';
import { prisma } from '@/server/base/db';
import { type ClientStream, toResponse, writeReply } from '@/server/base/http/reply';
import { startApi } from '../../harness/api-server';
import { startBillingUpstream } from '../../harness/billing-upstream';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { until } from '../../harness/until';

/** The paid routes respond on the connection itself, and with a web `Response` in Next. */

await newDatabase();
const upstream = await startBillingUpstream();
process.env.OPENAI_API_KEY = 'key-of-the-test';
process.env.OPENAI_BASE_URL = upstream.url;
const api = await startApi();

const CHAT = '/v1/chat/completions';
const MODEL = 'openai/gpt-4.1-mini';
const bodyOf = (more: object) => ({ model: MODEL, messages: [{ role: 'user', content: 'A tale' }], ...more });
const writeRequest = (person: Person, body: object, signal?: AbortSignal): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
  ...(signal && { signal }),
});

/** What belongs to the connection, or to one request only. */
const OWN_HEADERS = ['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'];
const OWN_IDS = /(chatcmpl-|msg_|req_)\w+|"created":\d+/g;

async function describe(response: Response) {
  const kept = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name));
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, value.replace(OWN_IDS, '#')]));
  return { status: response.status, headers, text: (await response.text()).replace(OWN_IDS, '#') };
}

test.each([
  [CHAT, complete, bodyOf({})],
  [CHAT, complete, bodyOf({ stream: true })],
  [CHAT, complete, bodyOf({ messages: 'none' })],
  ['/v1/messages', createMessage, bodyOf({ max_tokens: 9 })],
  ['/v1/messages', createMessage, bodyOf({ max_tokens: 9, stream: true })],
  ['/v1/messages', createMessage, { model: 'unknown' }],
])('%s has the same response in Next: %#', async (path, post, body) => {
  // For a second request of the same person, the provider has counted the prompt.
  const [person, other] = [await newPerson({ credits: 10 }), await newPerson({ credits: 10 })];
  upstream.answer({ inputTokens: 10, reasoningTokens: 0, first: ['Once', ' upon'], rest: [] });
  const send = async (sent: Promise<Response>) => {
    const response = await sent;
    upstream.calls.at(-1)?.proceed();
    return describe(response);
  };
  const whole = () => upstream.nextCall().then((call) => call.proceed());
  if (!('stream' in body)) void whole();
  const direct = await send(fetch(api.url + path, writeRequest(person, body)));
  if (!('stream' in body)) void whole();
  const inNext = await send(post(new Request(api.url + path, writeRequest(other, body))));
  expect(inNext).toEqual(direct);
});

test('in Next, too, a client that disconnects from a stream pays for what was produced', async () => {
  const person = await newPerson({ credits: 10 });
  upstream.answer({ inputTokens: 10, reasoningTokens: 0, first: ['Once'], rest: [' upon'] });
  const called = upstream.nextCall();
  const client = new AbortController();
  const request = new Request(api.url, writeRequest(person, bodyOf({ stream: true }), client.signal));
  const response = await complete(request);
  await response.body?.getReader().read();
  client.abort();

  expect(await (await called).wasCancelled).toBe(true);
  const receipts = await until(
    () => readReceipts(person.userId),
    (found) => found.length > 0,
  );
  expect(receipts).toMatchObject([{ outcome: 'aborted', outputTokens: 1 }]);
  expect(await prisma().hold.count()).toBe(0);
});

test('a silent stream gets a comment every 15 seconds', async () => {
  const person = await newPerson({ credits: 10 });
  upstream.answer({ inputTokens: 10, reasoningTokens: 0, first: ['Once'], rest: [' upon'] });
  const called = upstream.nextCall();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const response = await fetch(api.url + CHAT, writeRequest(person, bodyOf({ stream: true })));
  const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await text?.read())?.value).toContain('Once');
  for (let silences = 0; silences < 2; silences++) {
    vi.advanceTimersByTime(15 * SECOND_MS - 1);
    vi.advanceTimersByTime(1);
    expect((await text?.read())?.value).toBe(': keepalive\n\n');
  }
  (await called).proceed();
  expect((await text?.read())?.value).toContain(' upon');
  await text?.cancel();
});

/** More than the system buffers. */
const PIECE = 'x'.repeat(16 * 1024 * 1024);
const MOST_PIECES = 4;

test('a client that reads slowly stops a stream until it has read or disconnected', async () => {
  const written: number[] = [];
  const body = async (client: ClientStream) => {
    let pieces = 0;
    for (; !client.isFull && pieces < MOST_PIECES; pieces++) client.write(PIECE);
    await client.drained();
    written.push(pieces);
    client.end('end');
  };
  const server = createServer((_, response) => writeReply(response, { body, headers: {} }, 'req_test'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  expect((await (await fetch(url)).text()).endsWith('end')).toBe(true);
  const inNext = toResponse({ body, headers: {} }, new AbortController().signal);
  expect(written).toEqual([1]);
  expect((await inNext.text()).endsWith('end')).toBe(true);

  const leaving = new AbortController();
  await fetch(url, { signal: leaving.signal });
  expect(written).toEqual([1, 1]);
  leaving.abort();
  await until(
    async () => written,
    (counts) => counts.length === 3,
  );
  expect(written).toEqual([1, 1, 1]);
});
