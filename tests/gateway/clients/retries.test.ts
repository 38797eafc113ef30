import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { settings } from '@/server/base/env';
import { newPerson, type Person } from '../../harness/people';
import { readReceipts } from '../../harness/receipts';
import { completion, message } from '../../harness/scripted-responses';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

/** The official SDKs retry when a connection breaks. With an `Idempotency-Key`, that charges once. */

const { url, upstream } = await startClientWorld();

/** A wire on which the first response is lost, after the service has sent it. */
const wire = { requests: 0, loses: 1 };
const proxy = createServer(async (request, response) => {
  wire.requests++;
  const isLost = wire.requests <= wire.loses;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.entries(request.headers).filter(
    ([name]) => !['host', 'connection', 'content-length', 'accept-encoding'].includes(name),
  ) as [string, string][];
  const answer = await fetch(url + (request.url ?? ''), {
    method: 'POST',
    headers,
    body: Buffer.concat(chunks),
  });
  const text = await answer.text();
  if (isLost) return void response.destroy();
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
afterAll(() => void proxy.close());
const wireUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

const keepFor = settings().KEEP_REPLAYS_HOURS;
afterEach(() => {
  Object.assign(wire, { requests: 0, loses: 1 });
  Object.assign(settings(), { KEEP_REPLAYS_HOURS: keepFor });
});

type Call = (person: Person, headers: Record<string, string>) => Promise<string>;
const MESSAGES = [{ role: 'user' as const, content: 'Where?' }];

const openai: Call = async ({ userKey }, headers) => {
  const client = new OpenAI({ apiKey: userKey, baseURL: `${wireUrl}/v1` });
  const { choices } = await client.chat.completions.create({ model: GPT, messages: MESSAGES }, { headers });
  return choices[0]?.message.content ?? '';
};

const anthropic: Call = async ({ userKey }, headers) => {
  const client = new Anthropic({ apiKey: userKey, baseURL: wireUrl });
  const body = { model: CLAUDE, messages: MESSAGES, max_tokens: 100 };
  const { content } = await client.messages.create(body, { headers });
  return content[0]?.type === 'text' ? content[0].text : '';
};

describe.each([
  { sdk: 'OpenAI', model: GPT, call: openai, reply: completion({ content: 'Oslo' }) },
  { sdk: 'Anthropic', model: CLAUDE, call: anthropic, reply: message([{ type: 'text', text: 'Oslo' }]) },
])('the $sdk SDK, whose first response is lost', ({ model, call, reply }) => {
  test('gets it by its own retry, and is charged once', async () => {
    upstream.script(upstreamName(model), reply);
    const person = await newPerson({ credits: 100 });
    expect(await call(person, { 'Idempotency-Key': 'one' })).toBe('Oslo');
    expect(wire.requests).toBe(2);
    expect(upstream.seen(upstreamName(model))).toHaveLength(1);
    expect(await readReceipts(person.userId)).toHaveLength(1);
  });

  test('is charged twice without a key: it sends none of its own', async () => {
    upstream.script(upstreamName(model), reply);
    const person = await newPerson({ credits: 100 });
    expect(await call(person, {})).toBe('Oslo');
    expect(await readReceipts(person.userId)).toHaveLength(2);
  });

  test('does not retry a 409 that names the receipt', async () => {
    Object.assign(settings(), { KEEP_REPLAYS_HOURS: 0 });
    upstream.script(upstreamName(model), reply);
    const person = await newPerson({ credits: 100 });
    const error = await call(person, { 'Idempotency-Key': 'one' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 409 });
    expect(String(error)).toMatch(/Its receipt is req_\w+\./);
    expect(wire.requests).toBe(2);
    expect(await readReceipts(person.userId)).toHaveLength(1);
  });
});
