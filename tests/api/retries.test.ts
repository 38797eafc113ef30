import { describe, expect, test } from 'vitest';
import { checkLedger, readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../harness/api-server';
import { newDatabase } from '../harness/database';
import { configureProviders, modelOf } from '../harness/custom-providers';
import { newPerson, type Person } from '../harness/people';
import { completion, completionStream, message, messageStream } from '../harness/scripted-responses';
import { type Reply, startScriptedUpstream } from '../harness/scripted-upstream';

/** Asking again, and elsewhere: only before the first byte, and one answer is paid. */

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

function ask(
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
const asked = (...providers: string[]) => providers.map((provider) => upstream.seen(provider).length);

async function usageOf({ userId, partnerId }: Person) {
  const { entries } = await readHistory({ userId, partnerId }, { limit: 10, offset: 0 });
  return entries.filter(({ type }) => type === 'usage');
}

const newBuyer = () => newPerson({ credits: 100, rateBp: 0 });

test.each([
  ['a failure', FAILED],
  ['a broken connection', { breaksOff: true }],
  ['a short rate limit', { status: 429, headers: { 'retry-after': '0' }, body: {} }],
  ['an error in place of an answer', { body: { error: { message: 'failed', code: 502 } } }],
])('after %s the second answer is sent, and charged once', async (_, failure: Reply) => {
  const person = await newBuyer();
  upstream.script('once', failure, completion({ content: 'Hello' }));

  expect(await textOf(await ask(person, 'once'))).toBe('Hello');
  expect(asked('once')).toEqual([2]);
  // 30 tokens at 1 USD per million.
  expect((await usageOf(person)).map(({ credits }) => credits)).toEqual([-3_000n]);
});

test('a stream whose first event is an error is asked for again: the client sees one beginning', async () => {
  const person = await newBuyer();
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } };
  upstream.script('claude', { events: [error] }, messageStream([{ type: 'text', text: 'Hello' }]));

  const text = await (await ask(person, 'claude', { stream: true }, '/v1/messages')).text();
  expect(text.match(/event: message_start/g)).toHaveLength(1);
  expect(text).toMatch(/event: message_stop\ndata: {"type":"message_stop"}\n\n$/);
  expect(await usageOf(person)).toHaveLength(1);
});

describe('with fallbacks', () => {
  test('a provider that keeps failing gives way to the next, of another format, whose price is paid', async () => {
    const person = await newBuyer();
    upstream.script('first', FAILED);
    upstream.script('second', message([{ type: 'text', text: 'Hello' }]));
    upstream.script('third', FAILED);

    const response = await ask(person, 'first');
    const body = await response.clone().json();
    expect(await textOf(response)).toBe('Hello');
    expect(body.model).toBe(modelOf('first'));
    expect(asked('first', 'second', 'third')).toEqual([2, 1, 0]);
    const [usage] = await usageOf(person);
    expect(usage).toMatchObject({ credits: -6_000n, usage: { model: modelOf('first') } });
  });

  test('trouble with our own key is not tried twice at the same provider', async () => {
    upstream.script('first', OUR_KEY);
    upstream.script('second', message([{ type: 'text', text: 'Hello' }]));
    expect(await textOf(await ask(await newBuyer(), 'first'))).toBe('Hello');
    expect(asked('first', 'second')).toEqual([1, 1]);
  });

  test('a request that is at fault is not tried elsewhere', async () => {
    upstream.script('first', BAD);
    upstream.script('second', message([{ type: 'text', text: 'Hello' }]));
    expect((await ask(await newBuyer(), 'first')).status).toBe(400);
    expect(asked('first', 'second')).toEqual([1, 0]);
  });

  test('a fallback that cannot take the request is passed over', async () => {
    upstream.script('first', FAILED);
    upstream.script('second', message([{ type: 'text', text: 'Only one' }]));
    upstream.script('third', completion({ content: 'Hello' }));
    expect(await textOf(await ask(await newBuyer(), 'first', { n: 2 }))).toBe('Hello');
    expect(asked('first', 'second', 'third')).toEqual([2, 0, 1]);
  });

  test('three tries are all, and then nothing is charged', async () => {
    const person = await newBuyer();
    for (const provider of ['first', 'second', 'third']) upstream.script(provider, FAILED);
    expect((await ask(person, 'first')).status).toBe(502);
    expect(asked('first', 'second', 'third')).toEqual([2, 1, 0]);
    expect((await readSpendable(person.userId, person.partnerId)).balance).toBe(100_000_000n);
  });

  // The whole beginning comes in one piece: the error is known before the first byte goes out.
  const ERROR = { error: { type: 'server_error', message: 'failed' } };
  const { events = [] } = completionStream([{ content: 'Hel' }]);

  test.each<[string, Reply]>([
    ['a break', { events: events.slice(0, 2), breaksOff: true }],
    ['an error', { events: [...events.slice(0, 2), ERROR] }],
  ])('once the answer has begun, %s is told and nobody else is asked', async (_, reply) => {
    const person = await newBuyer();
    upstream.script('streams', reply);
    upstream.script('second', message([{ type: 'text', text: 'Hello' }]));

    const text = await (await ask(person, 'streams', { stream: true })).text();
    expect(text).toContain('"content":"Hel"');
    expect(text).toMatch(
      /data: {"error":{"message":"[^"]+","type":"upstream_error","param":null,"code":"502"}}\n\n$/,
    );
    expect(asked('streams', 'second')).toEqual([1, 0]);
    expect((await usageOf(person)).map(({ credits }) => credits < 0n)).toEqual([true]);
  });
});

test('thoughts that a provider refuses are left out, once', async () => {
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
  const response = await ask(await newBuyer(), 'claude', { messages }, '/v1/messages');
  expect(response.status).toBe(200);
  const [before, after] = upstream.seen('claude').map(({ body }) => JSON.stringify(body.messages));
  expect(before).toContain('b2xk');
  expect(after).not.toContain('b2xk');

  upstream.script('claude', refused);
  expect((await ask(await newBuyer(), 'claude', { messages }, '/v1/messages')).status).toBe(400);
  expect(asked('claude')).toEqual([2]);
});

test('after all of it the ledger agrees', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
