import { describe, expect, test } from 'vitest';
import { checkLedger, readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { configureProviders, modelOf } from '../../harness/custom-providers';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';
import { completion, completionStream, message, messageStream } from '../../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../../harness/scripted-upstream';

/** Retries and fallbacks happen only before the first byte, and only one response is charged. */

await newDatabase();
const upstream = await startScriptedUpstream();
configureProviders(upstream.url, [
  { provider: 'once', format: 'openai' },
  { provider: 'first', format: 'openai', fallbacks: ['second', 'third'] },
  { provider: 'second', format: 'anthropic', price: '2' },
  { provider: 'third', format: 'openai', price: '3' },
  { provider: 'streams', format: 'openai', fallbacks: ['second'] },
  { provider: 'claude', format: 'anthropic' },
]);
const api = await startApi();

const FAILED: Reply = { status: 500, body: { error: { message: 'failed' } } };
const OUR_KEY: Reply = { status: 401, body: { error: { message: 'bad key' } } };
const BAD: Reply = { status: 400, body: { error: { message: 'bad schema' } } };

function send(
  person: Person,
  provider: string,
  body: object = {},
  path = '/v1/chat/completions',
): Promise<Response> {
  return fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: modelOf(provider),
      max_tokens: 50,
      messages: [{ role: 'user', content: 'hi' }],
      ...body,
    }),
  });
}

const textOf = async (response: Response): Promise<string> =>
  (await response.json()).choices[0].message.content;
const callCounts = (...providers: string[]) => providers.map((provider) => upstream.seen(provider).length);

async function usageOf({ userId, partnerId }: Person) {
  const { entries } = await readHistory({ userId, partnerId }, { limit: 10, offset: 0 });
  return entries.filter(({ type }) => type === 'usage');
}

const newBuyer = () => newPerson({ credits: 100, rateBp: 0 });

test.each([
  ['a failure', FAILED],
  ['a broken connection', { breaksOff: true }],
  ['a short rate limit', { status: 429, headers: { 'retry-after': '0' }, body: {} }],
  ['an error in place of a response', { body: { error: { message: 'failed', code: 502 } } }],
])('after %s the request is retried and charged once', async (_, failure: Reply) => {
  const person = await newBuyer();
  upstream.script('once', failure, completion({ content: 'Hello' }));

  expect(await textOf(await send(person, 'once'))).toBe('Hello');
  expect(callCounts('once')).toEqual([2]);
  // 30 tokens at 1 USD per million.
  expect((await usageOf(person)).map(({ credits }) => credits)).toEqual([-3_000n]);
});

test('a stream whose first event is an error is retried, and the client sees one start', async () => {
  const person = await newBuyer();
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } };
  upstream.script('claude', { events: [error] }, messageStream([{ type: 'text', text: 'Hello' }]));

  const text = await (await send(person, 'claude', { stream: true }, '/v1/messages')).text();
  expect(text.match(/event: message_start/g)).toHaveLength(1);
  expect(text).toMatch(/event: message_stop\ndata: {"type":"message_stop"}\n\n$/);
  expect(await usageOf(person)).toHaveLength(1);
});

describe('with fallbacks', () => {
  test('when a provider keeps failing, the next one serves the request at its own price, even in another format', async () => {
    const person = await newBuyer();
    upstream.script('first', FAILED);
    upstream.script('second', message([{ type: 'text', text: 'Hello' }]));
    upstream.script('third', FAILED);

    const response = await send(person, 'first');
    const body = await response.clone().json();
    expect(await textOf(response)).toBe('Hello');
    expect(body.model).toBe(modelOf('first'));
    expect(callCounts('first', 'second', 'third')).toEqual([2, 1, 0]);
    const [usage] = await usageOf(person);
    expect(usage).toMatchObject({ credits: -6_000n, usage: { model: modelOf('first') } });
  });

  test('a rejected provider key is not retried at the same provider', async () => {
    upstream.script('first', OUR_KEY);
    upstream.script('second', message([{ type: 'text', text: 'Hello' }]));
    expect(await textOf(await send(await newBuyer(), 'first'))).toBe('Hello');
    expect(callCounts('first', 'second')).toEqual([1, 1]);
  });

  test('an invalid request is not sent to a fallback', async () => {
    upstream.script('first', BAD);
    upstream.script('second', message([{ type: 'text', text: 'Hello' }]));
    expect((await send(await newBuyer(), 'first')).status).toBe(400);
    expect(callCounts('first', 'second')).toEqual([1, 0]);
  });

  test('a fallback that does not support the request is skipped', async () => {
    upstream.script('first', FAILED);
    upstream.script('second', message([{ type: 'text', text: 'Only one' }]));
    upstream.script('third', completion({ content: 'Hello' }));
    expect(await textOf(await send(await newBuyer(), 'first', { n: 2 }))).toBe('Hello');
    expect(callCounts('first', 'second', 'third')).toEqual([2, 0, 1]);
  });

  test('a request fails after three attempts and is not charged', async () => {
    const person = await newBuyer();
    for (const provider of ['first', 'second', 'third']) upstream.script(provider, FAILED);
    expect((await send(person, 'first')).status).toBe(502);
    expect(callCounts('first', 'second', 'third')).toEqual([2, 1, 0]);
    expect((await readSpendable(person.userId, person.partnerId)).balance).toBe(100_000_000n);
  });

  // All events arrive in one chunk: the error is known before the first byte is sent.
  const ERROR = { error: { type: 'server_error', message: 'failed' } };
  const { events = [] } = completionStream([{ content: 'Hel' }]);

  test.each<[string, Reply]>([
    ['a break', { events: events.slice(0, 2), breaksOff: true }],
    ['an error', { events: [...events.slice(0, 2), ERROR] }],
  ])(
    'once the response has begun, %s ends the stream with an error and there is no retry',
    async (_, reply) => {
      const person = await newBuyer();
      upstream.script('streams', reply);
      upstream.script('second', message([{ type: 'text', text: 'Hello' }]));

      const text = await (await send(person, 'streams', { stream: true })).text();
      expect(text).toContain('"content":"Hel"');
      expect(text).toMatch(
        /data: {"error":{"message":"[^"]+","type":"upstream_error","param":null,"code":"502"}}\n\n$/,
      );
      expect(callCounts('streams', 'second')).toEqual([1, 0]);
      expect((await usageOf(person)).map(({ credits }) => credits < 0n)).toEqual([true]);
    },
  );
});

test('thinking blocks that a provider refuses are removed, and the request is retried once', async () => {
  const refusal = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  const thought = { type: 'thinking', thinking: 'Hm', signature: 'b2xk' };
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [thought, { type: 'text', text: 'Yes' }] },
    { role: 'user', content: 'sure?' },
  ];
  const refused = {
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message: refusal } },
  };
  upstream.script('claude', refused, message([{ type: 'text', text: 'Sure' }]));
  const response = await send(await newBuyer(), 'claude', { messages }, '/v1/messages');
  expect(response.status).toBe(200);
  const [before, after] = upstream.seen('claude').map(({ body }) => JSON.stringify(body.messages));
  expect(before).toContain('b2xk');
  expect(after).not.toContain('b2xk');

  upstream.script('claude', refused);
  expect((await send(await newBuyer(), 'claude', { messages }, '/v1/messages')).status).toBe(400);
  expect(callCounts('claude')).toEqual([2]);
});

test('the ledger has no differences after all of these requests', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
