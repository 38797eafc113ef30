import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { checkLedger, readHistory, readSpendable } from '@/server/ledger';
import { startApi } from '../../harness/api-server';
import { newDatabase } from '../../harness/database';
import { newPerson, type Person } from '../../harness/people';

await newDatabase();
const api = await startApi();

const anthropicOf = (person: Person) =>
  new Anthropic({ apiKey: person.userKey, baseURL: api.url, maxRetries: 0 });
const openaiOf = (person: Person) =>
  new OpenAI({ apiKey: person.userKey, baseURL: `${api.url}/v1`, maxRetries: 0 });
const message = (model: string, content = 'Tell me of the sea') => ({
  model,
  max_tokens: 200,
  messages: [{ role: 'user' as const, content }],
});

const spentBy = async (person: Person) =>
  100_000_000n - (await readSpendable(person.userId, person.partnerId)).balance;

async function newestUsage(person: Person) {
  const { entries } = await readHistory(
    { userId: person.userId, partnerId: person.partnerId },
    { limit: 1, offset: 0 },
  );
  return entries[0];
}

// Each of the two formats, with a provider of each format.
describe.each(['sandbox/echo', 'sandbox-anthropic/echo'])('messages to %s', (model) => {
  test('return the response, its usage and the matching charge', async () => {
    const person = await newPerson({ credits: 100, rateBp: 0 });
    const { data, response } = await anthropicOf(person).messages.create(message(model)).withResponse();

    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Tell me of the sea' }],
      stop_reason: 'end_turn',
    });
    const cost = data.usage.input_tokens * 15 + data.usage.output_tokens * 60;
    expect(await spentBy(person)).toBe(BigInt(cost));
    expect(Number(response.headers.get('x-svc-credits-charged'))).toBe(cost / 1e6);
    expect(response.headers.get('request-id')).toBe((await newestUsage(person))?.usage?.requestId);
  });

  test('stream the same message to the official helper, charged by the end', async () => {
    const person = await newPerson({ credits: 100, rateBp: 0 });
    const stream = anthropicOf(person).messages.stream(message(model));
    const pieces: string[] = [];
    stream.on('text', (text) => pieces.push(text));
    const final = await stream.finalMessage();

    expect(final.content).toMatchObject([{ type: 'text', text: 'Tell me of the sea' }]);
    expect(pieces.length).toBeGreaterThan(1);
    expect(final.model).toBe(model);
    expect(await spentBy(person)).toBe(
      BigInt(final.usage.input_tokens * 15 + final.usage.output_tokens * 60),
    );
  });
});

describe('a chat request to a provider of the messages format', () => {
  test('works with the official client, streamed or not', async () => {
    const person = await newPerson({ credits: 100, rateBp: 0 });
    const body = {
      model: 'sandbox-anthropic/echo',
      messages: [{ role: 'user' as const, content: 'Hello there' }],
    };
    const whole = await openaiOf(person).chat.completions.create(body);
    expect(whole).toMatchObject({
      model: body.model,
      choices: [{ message: { content: 'Hello there' }, finish_reason: 'stop' }],
    });

    const stream = openaiOf(person).chat.completions.stream({
      ...body,
      stream_options: { include_usage: true },
    });
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('Hello there');
    expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0);
  });
});

describe('failures in the messages format', () => {
  async function refusal(work: Promise<unknown>) {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Anthropic.APIError))
      throw new Error(`expected an API error, got ${String(error)}`);
    return { status: error.status, body: error.error };
  }

  test.each([
    ['an unknown model', 'no/model', 404, 'model_not_found'],
    ['a provider that fails', 'sandbox-anthropic/error-500', 502, 'upstream_error'],
  ])('%s gets its status in the error body and charges nothing', async (_, model, status, type) => {
    const person = await newPerson({ credits: 100 });
    expect(await refusal(anthropicOf(person).messages.create(message(model)))).toMatchObject({
      status,
      body: {
        type: 'error',
        error: { type, message: expect.any(String) },
        request_id: expect.stringMatching(/^req_/),
      },
    });
    expect(await spentBy(person)).toBe(0n);
  });

  test('an empty balance gets 402, and a missing max_tokens gets 400', async () => {
    const poor = await newPerson();
    expect(await refusal(anthropicOf(poor).messages.create(message('sandbox/echo')))).toMatchObject({
      status: 402,
      body: { error: { type: 'insufficient_credits' } },
    });
    const response = await fetch(`${api.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': (await newPerson({ credits: 100 })).userKey,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }] }),
    });
    expect([response.status, (await response.json()).error]).toMatchObject([
      400,
      { type: 'invalid_request' },
    ]);
  });

  test('a stream that breaks off ends in an error event, and what arrived is charged', async () => {
    const person = await newPerson({ credits: 100 });
    const stream = anthropicOf(person).messages.stream(message('sandbox-anthropic/cut'));
    await expect(stream.finalMessage()).rejects.toThrow();
    expect((await newestUsage(person))?.credits).toBeLessThan(0n);
  });
});

describe('endpoints that clients of both formats use', () => {
  test('count_tokens is free for providers of either format', async () => {
    const person = await newPerson({ credits: 100 });
    for (const model of ['sandbox/echo', 'sandbox-anthropic/echo']) {
      const { max_tokens: _, ...prompt } = message(model, 'word '.repeat(100));
      const { input_tokens } = await anthropicOf(person).messages.countTokens(prompt);
      expect(input_tokens).toBeGreaterThan(50);
    }
    expect(await spentBy(person)).toBe(0n);
  });

  test.each(['', '/v1', '/v1/v1'])('the paths work behind the base path %j', async (prefix) => {
    const person = await newPerson({ credits: 100 });
    const headers = { authorization: `Bearer ${person.userKey}`, 'content-type': 'application/json' };
    for (const [path, body] of [
      ['/chat/completions', { ...message('sandbox/echo'), max_tokens: 50 }],
      ['/messages?beta=true', message('sandbox/echo')],
    ] as const) {
      const response = await fetch(api.url + prefix + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect([path, response.status]).toEqual([path, 200]);
    }
    expect((await fetch(`${api.url}${prefix}/models`)).status).toBe(200);
  });
});

test('the ledger has no differences after all of these requests', async () => {
  expect((await checkLedger()).differences).toEqual([]);
});
