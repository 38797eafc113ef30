import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateObject,
  generateText,
  type LanguageModel,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { completion, completionStream, message, messageStream } from '../../harness/scripted-responses';
import type { Reply } from '../../harness/scripted-upstream';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

/** The Vercel AI SDK: its three provider packages, each with a provider of each format. */

const { url, person, upstream } = await startClientWorld();
const apiKey = person.userKey;
const compatible = createOpenAICompatible({ name: 'svc', baseURL: `${url}/v1`, apiKey, includeUsage: true });
const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey });
const withoutVersion = createAnthropic({ baseURL: url, apiKey });

const PACKAGES: [string, (model: string) => LanguageModel][] = [
  ['openai-compatible', (model) => compatible(model)],
  ['openai .chat()', (model) => openai.chat(model)],
  ['anthropic', (model) => anthropic(model)],
  ['anthropic without /v1', (model) => withoutVersion(model)],
];
const cases = PACKAGES.flatMap(([way, open]) =>
  [GPT, CLAUDE].map((model) => ({ way, model, open: () => open(model) })),
);

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const CALLS = [
  { id: 'call_1', city: 'Zürich' },
  { id: 'call_2', city: '東京' },
];

function callTools(model: string): Reply {
  if (model === CLAUDE) {
    const blocks = CALLS.map(({ id, city }) => ({ type: 'tool_use', id, name: 'weather', input: { city } }));
    return messageStream(blocks, 'tool_use');
  }
  const deltas = CALLS.map(({ id, city }, index) => ({
    tool_calls: [
      { index, id, type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city }) } },
    ],
  }));
  return completionStream(deltas, 'tool_calls');
}

const streamReply = (model: string, text: string): Reply =>
  model === CLAUDE ? messageStream([{ type: 'text', text }]) : completionStream([{ content: text }]);
const reply = (model: string, text: string): Reply =>
  model === CLAUDE ? message([{ type: 'text', text }]) : completion({ content: text });

describe.each(cases)('the AI SDK, $way to $model', ({ model, open }) => {
  const name = upstreamName(model);
  const settings = { maxRetries: 0, maxOutputTokens: 500 };

  test('streams text with its usage and finish reason', async () => {
    upstream.script(name, streamReply(model, 'Grüße aus 日本'));
    const result = streamText({ ...settings, model: open(), prompt: 'hi' });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.join('')).toBe('Grüße aus 日本');
    expect(await result.finishReason).toBe('stop');
    expect(await result.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  test('runs tools in parallel and continues with their results', async () => {
    upstream.script(name, callTools(model), streamReply(model, 'Warm in both'));
    const cities: string[] = [];
    const weather = tool({
      description: 'The weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        cities.push(city);
        return `warm in ${city}`;
      },
    });
    const result = streamText({
      ...settings,
      model: open(),
      prompt: 'Weather?',
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect(await result.text).toBe('Warm in both');
    expect(cities).toEqual(['Zürich', '東京']);
    const sent = JSON.stringify(upstream.lastBody(name).messages);
    for (const { id, city } of CALLS) expect(sent).toMatch(new RegExp(`${id}.*warm in ${city}`));
  });

  test('sends an image', async () => {
    upstream.script(name, reply(model, 'A dot'));
    const { text } = await generateText({
      ...settings,
      model: open(),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', image: Buffer.from(PIXEL, 'base64'), mediaType: 'image/png' },
          ],
        },
      ],
    });
    expect(text).toBe('A dot');
    expect(JSON.stringify(upstream.lastBody(name).messages)).toContain(PIXEL);
  });

  test('reports a stream that breaks off as one error', async () => {
    const { events = [] } = streamReply(model, 'Half an answer');
    upstream.script(name, { events: events.slice(0, model === CLAUDE ? 4 : 2), breaksOff: true });
    const errors: unknown[] = [];
    const result = streamText({
      ...settings,
      model: open(),
      prompt: 'hi',
      onError: ({ error }) => {
        errors.push(error);
      },
    });
    await result.consumeStream();
    expect(JSON.stringify(errors)).toContain('upstream_error');
    expect(errors).toHaveLength(1);
  });

  test('throws a refusal with its status and message', async () => {
    const said = 'prompt is too long: 9 > 8';
    upstream.script(name, {
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message: said } },
    });
    const error = await generateText({ ...settings, model: open(), prompt: 'hi' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(APICallError);
    expect(error).toMatchObject({ statusCode: 400, message: said, isRetryable: false });
  });
});

// One model of each format, with the package that sends a schema.
test.each([
  ['openai .chat()', GPT, () => openai.chat(GPT)],
  ['openai .chat()', CLAUDE, () => openai.chat(CLAUDE)],
])('%s to %s returns structured output', async (_, model, open) => {
  upstream.script(upstreamName(model), reply(model, '{"city":"Bern","degrees":7}'));
  const { object } = await generateObject({
    model: open(),
    schema: z.object({ city: z.string(), degrees: z.number() }),
    prompt: 'Weather?',
  });
  expect(object).toEqual({ city: 'Bern', degrees: 7 });
  expect(JSON.stringify(upstream.lastBody(upstreamName(model)))).toContain('"degrees":{"type":"number"}');
});

test('thinking is separate from text and signed for the next turn', async () => {
  const thought = { type: 'thinking', thinking: 'Let me see', signature: 'c2ln' };
  upstream.script(upstreamName(CLAUDE), messageStream([thought, { type: 'text', text: 'Yes' }]));
  const result = streamText({
    model: anthropic(CLAUDE),
    prompt: 'Is it?',
    maxOutputTokens: 4_000,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } },
  });
  expect(await result.text).toBe('Yes');
  expect(await result.reasoning).toMatchObject([
    { text: 'Let me see', providerMetadata: { anthropic: { signature: 'c2ln' } } },
  ]);

  upstream.script(upstreamName(GPT), completionStream([{ reasoning_content: 'Hm' }, { content: 'Yes' }]));
  const other = streamText({ model: compatible(GPT), prompt: 'Is it?' });
  expect([await other.reasoningText, await other.text]).toEqual(['Hm', 'Yes']);
});
