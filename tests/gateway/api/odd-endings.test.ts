import { describe, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { checkLedger } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { completion, message } from '../../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../../harness/scripted-upstream';

/** A provider that has billed a call may answer with anything: the call is charged, or a loss. */

await newDatabase();
const upstream = await startScriptedUpstream();
process.env.OPENAI_API_KEY = 'key-of-the-test';
process.env.OPENAI_BASE_URL = `${upstream.url}/v1`;
configureProviders(upstream.url, [
  { provider: 'chatty', format: 'openai' },
  { provider: 'claude', format: 'anthropic' },
]);
const api = await startApi();

/** The path, the model, and its name at the provider. */
const ROUTES: [string, string, string][] = [
  ['/v1/chat/completions', modelOf('chatty'), 'chatty'],
  ['/v1/messages', modelOf('claude'), 'claude'],
  ['/v1/messages', modelOf('chatty'), 'chatty'],
  ['/v1/responses', 'openai/gpt-4.1', 'gpt-4.1'],
];

async function send([path, model, name]: [string, string, string], reply: Reply, stream: boolean) {
  const { userKey, userId } = await newPerson({ credits: 1_000, rateBp: 0 });
  upstream.script(name, reply);
  const isResponses = path === '/v1/responses';
  const prompt = isResponses
    ? { input: 'hi', max_output_tokens: 50 }
    : { messages: [{ role: 'user', content: 'hi' }], max_tokens: 50 };
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, ...prompt }),
  });
  await response.text();
  const losses = await prisma().providerLoss.findMany({ where: { userId }, orderBy: { call: 'asc' } });
  const receipts = await readReceipts(userId);
  return { status: response.status, calls: upstream.seen(name).length, losses, receipts };
}

const UNREADABLE: [string, Reply][] = [
  ['nothing', { events: [] }],
  ['an end mark only', { events: ['data: [DONE]'] }],
  ['unknown events', { events: [{ text: 'Hello' }, { text: 'again' }] }],
  ['lines that are not JSON', { events: ['data: {"choices": [', 'data: Hello'] }],
  ['a page', { body: '<html>Hello</html>', headers: { 'content-type': 'text/html' } }],
  ['status 202 and no body', { status: 202, body: '' }],
];

describe.each(ROUTES)('%s of %s', (...route) => {
  test.each(UNREADABLE)(
    'a stream of %s is a loss for each call, and the user pays nothing',
    async (_, reply) => {
      const { status, calls, losses, receipts } = await send(route, reply, true);
      expect(status).toBe(502);
      expect(receipts).toEqual([]);
      expect(losses.map(({ call, reason }) => [call, reason])).toEqual(
        Array.from({ length: calls }, (_, n) => [n + 1, 'unreadable_response']),
      );
      expect(calls).toBeGreaterThan(0);
    },
  );

  test('a stream that begins with an error costs nothing', async () => {
    const error = { type: 'error', error: { type: 'api_error', message: 'Not now' } };
    const { status, losses, receipts } = await send(route, { events: [error] }, true);
    expect([status, losses, receipts]).toEqual([502, [], []]);
  });
});

const CHAT: [string, string, string] = ['/v1/chat/completions', modelOf('chatty'), 'chatty'];
const MESSAGES: [string, string, string] = ['/v1/messages', modelOf('claude'), 'claude'];
const WHOLE = [
  [CHAT, completion({ content: 'Hello' })],
  [MESSAGES, message([{ type: 'text', text: 'Hello' }])],
] as const;

test.each([504, 524])('status %d of a gateway that waited no longer is a loss', async (status) => {
  for (const stream of [true, false]) {
    const { calls, losses, receipts } = await send(CHAT, { status, body: 'gateway timeout' }, stream);
    expect(receipts).toEqual([]);
    expect(losses.map(({ reason }) => reason)).toEqual(Array.from({ length: calls }, () => 'timeout'));
  }
});

test.each([400, 429, 500])('status %d with an error costs nothing', async (status) => {
  const error = { type: 'error', error: { type: 'api_error', message: 'Not now' } };
  for (const stream of [true, false]) {
    const { losses, receipts } = await send(CHAT, { status, body: error }, stream);
    expect([losses, receipts]).toEqual([[], []]);
  }
});

test.each([201, 202, 203, 206])('a response with status %d is charged like one with 200', async (status) => {
  for (const [route, reply] of WHOLE) {
    const result = await send(route, { ...reply, status }, false);
    expect(result).toMatchObject({ status: 200, calls: 1, losses: [] });
    expect(result.receipts).toMatchObject([{ inputTokens: 20, outputTokens: 10, providerCost: 3_000n }]);
  }
});

test.each([400, 500, 529])(
  'what a provider reports as used next to an error with status %d is a loss',
  async (status) => {
    for (const [route, { body }] of WHOLE) {
      const { usage } = body as { usage: object };
      const error = { error: { type: 'api_error', message: 'Not now' }, usage };
      const { calls, losses, receipts } = await send(route, { status, body: error }, false);
      expect([calls, receipts]).toEqual([1, []]);
      expect(losses).toMatchObject([{ reason: 'failed_response', cost: 3_000n, isEstimated: false }]);
    }
  },
);

test('the ledger has no differences after all of these requests', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
