import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { message, messageStream } from '../../harness/scripted-responses';
import { startClientWorld, upstreamName } from './world';

/** Forced tool calls at a model that cannot be forced: it writes the call as structured output. */

const { url, person, upstream } = await startClientWorld();
const apiKey = person.userKey;
const baseURL = `${url}/v1`;
const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const model = 'anthropic/claude-opus-5-5';
const name = upstreamName(model);
const ARGUMENTS = '{"city":"Bern"}';
const written = (json: string) => [{ type: 'text', text: json }];

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const weather = { type: 'function' as const, function: { name: 'weather', parameters } };
const clock = { type: 'function' as const, function: { name: 'clock' } };
const ask = { model, messages: [{ role: 'user' as const, content: 'Weather?' }] };
const named = { type: 'function' as const, function: { name: 'weather' } };
const called = { type: 'function', function: { name: 'weather', arguments: ARGUMENTS } };

describe('the openai client', () => {
  test('gets the call of the one tool that it names', async () => {
    upstream.script(name, message(written(ARGUMENTS)));
    const { choices } = await client.chat.completions.create({
      ...ask,
      tools: [weather, clock],
      tool_choice: named,
    });
    expect(choices).toMatchObject([
      { finish_reason: 'tool_calls', message: { content: null, tool_calls: [called] } },
    ]);
    const sent = upstream.lastBody(name);
    expect(sent).toMatchObject({
      tools: [{ name: 'weather' }, { name: 'clock' }],
      tool_choice: { type: 'none' },
      output_config: { format: { type: 'json_schema', schema: parameters } },
    });
    expect(JSON.stringify(sent.system)).toContain('weather');
  });

  test('gets the call of any tool, with its name, and numbers digit by digit', async () => {
    const arguments_ = '{"city":"Bern","id":12345678901234567890}';
    upstream.script(
      name,
      messageStream(written(`{"call":{"tool":"weather","arguments":${arguments_}}}`)),
      messageStream(written('{"call":{"tool":"clock"}}')),
    );
    const request = { ...ask, tools: [weather, clock], tool_choice: 'required' as const };
    for (const expected of [
      { name: 'weather', arguments: arguments_ },
      { name: 'clock', arguments: '{}' },
    ]) {
      const stream = client.chat.completions.stream(request);
      const { choices } = await stream.finalChatCompletion();
      expect(choices).toMatchObject([
        { finish_reason: 'tool_calls', message: { tool_calls: [{ function: expected }] } },
      ]);
    }
    const { schema } = (upstream.lastBody(name).output_config as { format: { schema: object } }).format;
    expect(JSON.stringify(schema)).toContain('"enum":["weather"]');
  });

  test.each([
    ['refused', 'refusal', 'content_filter', 'I cannot help with that.'],
    ['was cut off', 'max_tokens', 'length', '{"city":"Be'],
  ])('gets the text of a model that %s', async (_, stop, finish_reason, text) => {
    upstream.script(name, message(written(text), stop), messageStream(written(text), stop));
    const request = { ...ask, tools: [weather], tool_choice: named };
    const whole = await client.chat.completions.create(request);
    expect(whole.choices).toMatchObject([{ finish_reason, message: { content: text } }]);
    const streamed = await client.chat.completions.create({ ...request, stream: true });
    let content = '';
    for await (const { choices } of streamed) content += choices[0]?.delta.content ?? '';
    expect(content).toBe(text);
  });

  test.each([
    [
      'a schema that cannot be enforced',
      {
        tools: [
          {
            ...weather,
            function: { ...weather.function, parameters: { ...parameters, additionalProperties: true } },
          },
        ],
      },
    ],
    [
      'a schema of the response at the same time',
      {
        tools: [weather],
        response_format: {
          type: 'json_schema' as const,
          json_schema: { name: 'answer', schema: parameters },
        },
      },
    ],
    ['a name of no tool', { tools: [clock] }],
  ])('is refused with %s, rather than answered with text', async (_, more) => {
    await expect(
      client.chat.completions.create({ ...ask, tool_choice: named, ...more }),
    ).rejects.toMatchObject({ status: 400, param: 'tool_choice' });
  });
});

const MODELS = [
  ['openai-compatible', () => createOpenAICompatible({ name: 'svc', baseURL, apiKey })(model)],
  ['openai .chat()', () => createOpenAI({ baseURL, apiKey }).chat(model)],
] as const;

describe.each(MODELS)('the AI SDK with %s', (_, open) => {
  const inputSchema = z.object({ city: z.string() });
  const tools = { weather: tool({ inputSchema, execute: async ({ city }) => city }) };
  const request = { prompt: 'Weather?', tools, maxRetries: 0 };

  test.each(['required', { type: 'tool' as const, toolName: 'weather' as const }] as const)(
    'gets the call with toolChoice %j, whole and streamed',
    async (toolChoice) => {
      upstream.script(name, message(written(ARGUMENTS)), messageStream(written(ARGUMENTS)));
      const expected = [{ toolName: 'weather', input: { city: 'Bern' } }];
      const whole = await generateText({ ...request, toolChoice, model: open() });
      expect(whole.toolCalls).toMatchObject(expected);
      const streamed = streamText({ ...request, toolChoice, model: open() });
      expect(await streamed.toolCalls).toMatchObject(expected);
      expect(await streamed.finishReason).toBe('tool-calls');
    },
  );
});

test('LangChain gets structured output by function calling', async () => {
  upstream.script(name, message(written(ARGUMENTS)));
  const structured = new ChatOpenAI({ model, apiKey, configuration: { baseURL } }).withStructuredOutput(
    z.object({ city: z.string() }),
    { method: 'functionCalling', name: 'weather' },
  );
  expect(await structured.invoke('Weather?')).toEqual({ city: 'Bern' });
});
