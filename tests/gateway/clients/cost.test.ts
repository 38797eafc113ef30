import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { readHistory } from '@/server/ledger';
import { completion, completionStream, message, messageStream } from '../../harness/scripted-responses';
import type { Reply } from '../../harness/scripted-upstream';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

/** What a request cost, where clients look for it: in its usage. */

const { url, person, upstream } = await startClientWorld();
const apiKey = person.userKey;
const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'hi' }];

const streamReply = (model: string): Reply =>
  model === CLAUDE ? messageStream([{ type: 'text', text: 'Hi' }]) : completionStream([{ content: 'Hi' }]);
const reply = (model: string): Reply =>
  model === CLAUDE ? message([{ type: 'text', text: 'Hi' }]) : completion({ content: 'Hi' });

/** In USD: 100 credits are a dollar. */
async function readLastCharge(): Promise<number> {
  const ofApp = { userId: person.userId, partnerId: person.partnerId };
  const { entries } = await readHistory(ofApp, { limit: 1, offset: 0 });
  return -Number(entries[0]?.credits) / 100_000_000;
}

describe.each([GPT, CLAUDE])('the openai client with %s', (model) => {
  const name = upstreamName(model);

  test.each([{ stream_options: { include_usage: true } }, { usage: { include: true } }])(
    'gets the cost in the last chunk of a stream with %j, once it is charged',
    async (more) => {
      upstream.script(name, streamReply(model));
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of await client.chat.completions.create({
        model,
        messages,
        stream: true,
        ...more,
      } as OpenAI.ChatCompletionCreateParamsStreaming))
        chunks.push(chunk);
      const charged = await readLastCharge();
      expect(charged).toBeGreaterThan(0);
      expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, cost: charged });
      expect(chunks.filter(({ usage }) => usage != null)).toHaveLength(1);
    },
  );

  test('gets no usage in a stream without asking for it', async () => {
    upstream.script(name, streamReply(model));
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
      expect(chunk.usage ?? null).toBeNull();
  });

  test('gets the cost of a whole response that asks for it, and always in the header', async () => {
    upstream.script(name, reply(model));
    const ask = (more: object) => client.chat.completions.create({ model, messages, ...more }).withResponse();
    const asked = await ask({ usage: { include: true } });
    const charged = await readLastCharge();
    expect(asked.data.usage).toMatchObject({ prompt_tokens: 20, cost: charged });
    expect(Number(asked.response.headers.get('x-svc-credits-charged')) / 100).toBeCloseTo(charged, 12);
    expect((await ask({})).data.usage).not.toHaveProperty('cost');
  });
});

test('the cost of a stream without reported usage is that of the estimate', async () => {
  const { events = [] } = completionStream([{ content: 'Hi' }]);
  upstream.script(upstreamName(GPT), {
    events: events.filter((event) => !JSON.stringify(event).includes('"usage"')),
  });
  const stream = client.chat.completions.stream({
    model: GPT,
    messages,
    stream_options: { include_usage: true },
  });
  const usage = await stream.totalUsage();
  expect(usage.prompt_tokens).toBeGreaterThan(0);
  expect((await stream.finalChatCompletion()).usage).toMatchObject({ cost: await readLastCharge() });
});

test('the AI SDK shows it with the provider of OpenRouter, whole and streamed', async () => {
  const model = createOpenRouter({ apiKey, baseURL: `${url}/v1` }).chat(GPT, { usage: { include: true } });
  upstream.script(upstreamName(GPT), reply(GPT), streamReply(GPT));
  const costOf = (metadata: unknown) =>
    (metadata as { openrouter?: { usage?: { cost?: number } } })?.openrouter?.usage?.cost;
  const whole = await generateText({ model, prompt: 'hi' });
  expect(costOf(whole.providerMetadata)).toBe(await readLastCharge());
  const streamed = streamText({ model, prompt: 'hi' });
  await streamed.consumeStream();
  expect(costOf(await streamed.providerMetadata)).toBe(await readLastCharge());
});

describe.each([GPT, CLAUDE])('a messages stream of %s', (model) => {
  const open = () => {
    upstream.script(upstreamName(model), streamReply(model));
    const body = JSON.stringify({ model, messages, max_tokens: 100, stream: true });
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    return fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
  };

  test('has the cost in the ping before its end', async () => {
    const frames = (await (await open()).text()).trim().split('\n\n');
    expect(frames.at(-1)).toBe('event: message_stop\ndata: {"type":"message_stop"}');
    expect(frames.at(-2)).toBe(
      `event: ping\ndata: ${JSON.stringify({ type: 'ping', usage: { cost: await readLastCharge() } })}`,
    );
  });

  test('is read by the SDKs of Anthropic and Vercel as without it', async () => {
    upstream.script(upstreamName(model), streamReply(model));
    const anthropic = new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });
    const final = await anthropic.messages.stream({ model, messages, max_tokens: 100 }).finalMessage();
    expect(final.content).toEqual([expect.objectContaining({ type: 'text', text: 'Hi' })]);
    const vercel = streamText({ model: createAnthropic({ apiKey, baseURL: `${url}/v1` })(model), messages });
    const parts = [];
    for await (const part of vercel.fullStream) parts.push(part.type);
    expect(parts).not.toContain('error');
    expect(parts.at(-1)).toBe('finish');
  });
});
