import { createOpenAI } from '@ai-sdk/openai';
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { message, messageStream, response, responseStream } from '../../harness/scripted-responses';
import type { Reply } from '../../harness/scripted-upstream';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

/** Frameworks whose default, or one of whose modes, is the Responses API. */

const { url, person, upstream } = await startClientWorld();
const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: person.userKey });

const CALLS = [
  { id: 'call_1', city: 'Zürich' },
  { id: 'call_2', city: '東京' },
];
const textItem = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const callItems = CALLS.map(({ id, city }) => ({
  type: 'function_call',
  call_id: id,
  name: 'weather',
  arguments: JSON.stringify({ city }),
}));
const callBlocks = CALLS.map(({ id, city }) => ({ type: 'tool_use', id, name: 'weather', input: { city } }));

const says = (model: string, text: string): Reply =>
  model === GPT ? response([textItem(text)]) : message([{ type: 'text', text }]);
const streams = (model: string, text: string): Reply =>
  model === GPT ? responseStream([textItem(text)]) : messageStream([{ type: 'text', text }]);
const calls = (model: string): Reply =>
  model === GPT ? response(callItems) : message(callBlocks, 'tool_use');
const streamsCalls = (model: string): Reply =>
  model === GPT ? responseStream(callItems) : messageStream(callBlocks, 'tool_use');

describe.each([GPT, CLAUDE])('the default of @ai-sdk/openai with %s', (model) => {
  const name = upstreamName(model);
  const settings = { maxRetries: 0, maxOutputTokens: 500, model: openai(model) };

  test('streams text with its usage', async () => {
    upstream.script(name, streams(model, 'Grüße'));
    const result = streamText({ ...settings, prompt: 'hi' });
    expect(await result.text).toBe('Grüße');
    expect(await result.finishReason).toBe('stop');
    expect(await result.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  test('runs a tool loop whose items it sends as references', async () => {
    upstream.script(name, streamsCalls(model), streams(model, 'Warm in both'));
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
      prompt: 'Weather?',
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect(await result.text).toBe('Warm in both');
    expect(cities).toEqual(['Zürich', '東京']);
    const sent = JSON.stringify(upstream.lastBody(name));
    for (const { id, city } of CALLS) expect(sent).toMatch(new RegExp(`${id}.*warm in ${city}`));
  });

  test('returns an object', async () => {
    upstream.script(name, says(model, '{"city":"Graz"}'));
    const { object } = await generateObject({
      ...settings,
      schema: z.object({ city: z.string() }),
      prompt: 'Where?',
    });
    expect(object).toEqual({ city: 'Graz' });
  });

  test('reports a stream that breaks off', async () => {
    const { events = [] } = streams(model, 'Half');
    upstream.script(name, { events: events.slice(0, -2), breaksOff: true });
    const errors: unknown[] = [];
    const result = streamText({ ...settings, prompt: 'hi', onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    expect(JSON.stringify(errors)).toContain('upstream_error');
  });

  test('continues without keeping anything', async () => {
    upstream.script(name, calls(model), says(model, 'Warm'));
    const { text } = await generateText({
      ...settings,
      prompt: 'Weather?',
      tools: {
        weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'warm' }),
      },
      stopWhen: stepCountIs(3),
      providerOptions: { openai: { store: false } },
    });
    expect(text).toBe('Warm');
  });
});

describe.each([GPT, CLAUDE])('ChatOpenAI with useResponsesApi and %s', (model) => {
  const name = upstreamName(model);
  const chat = new ChatOpenAI({
    model,
    apiKey: person.userKey,
    maxRetries: 0,
    useResponsesApi: true,
    configuration: { baseURL: `${url}/v1` },
  });

  test('calls tools and continues with their results', async () => {
    upstream.script(name, calls(model), says(model, 'Warm in both'));
    const weather = langchainTool(({ city }: { city: string }) => `warm in ${city}`, {
      name: 'weather',
      description: 'The weather of a city',
      schema: z.object({ city: z.string() }),
    });
    const bound = chat.bindTools([weather]);
    const asked = new HumanMessage('Weather?');
    const called = await bound.invoke([asked]);
    expect(called.tool_calls?.map(({ args }) => args.city)).toEqual(['Zürich', '東京']);
    const results = await Promise.all(
      (called.tool_calls ?? []).map(
        async (call) => new ToolMessage({ content: 'warm', tool_call_id: call.id ?? '' }),
      ),
    );
    const last = await bound.invoke([asked, called, ...results]);
    expect(last.text).toBe('Warm in both');
  });

  test('streams text with its usage', async () => {
    upstream.script(name, streams(model, 'Grüße'));
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await chat.stream('hi')) whole = whole?.concat(chunk) ?? chunk;
    expect(whole?.text).toBe('Grüße');
    expect(whole?.usage_metadata).toMatchObject({ input_tokens: 20, output_tokens: 10 });
  });
});
