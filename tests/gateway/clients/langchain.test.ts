import { ChatAnthropic } from '@langchain/anthropic';
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { completion, completionStream, message, messageStream } from '../../harness/scripted-responses';
import type { Reply } from '../../harness/scripted-upstream';
import { CLAUDE, GPT, startClientWorld, upstreamName } from './world';

const { url, person, upstream } = await startClientWorld();

const openChat = (model: string) =>
  new ChatOpenAI({
    model,
    apiKey: person.userKey,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
  });
const openMessages = (model: string) =>
  new ChatAnthropic({ model, apiKey: person.userKey, anthropicApiUrl: url, maxRetries: 0, maxTokens: 500 });

const CLASSES = [
  ['ChatOpenAI', GPT, openChat],
  ['ChatOpenAI', CLAUDE, openChat],
  ['ChatAnthropic', GPT, openMessages],
  ['ChatAnthropic', CLAUDE, openMessages],
] as const;

const CALLS = [
  { id: 'call_1', name: 'weather', args: { city: 'Zürich' } },
  { id: 'call_2', name: 'weather', args: { city: '東京' } },
];
const weather = tool(({ city }: { city: string }) => `warm in ${city}`, {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});

const reply = (model: string, text: string): Reply =>
  model === CLAUDE ? message([{ type: 'text', text }]) : completion({ content: text });

function callTools(model: string): Reply {
  if (model === CLAUDE) {
    return message(
      CALLS.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
      'tool_use',
    );
  }
  const calls = CALLS.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return completion({ tool_calls: calls }, 'tool_calls');
}

describe.each(CLASSES)('%s to %s', (className, model, open) => {
  const name = upstreamName(model);

  test('streams text with its usage at the end', async () => {
    const text = 'Grüße aus 日本';
    upstream.script(
      name,
      model === CLAUDE ? messageStream([{ type: 'text', text }]) : completionStream([{ content: text }]),
    );
    let whole: AIMessageChunk | undefined;
    for await (const piece of await open(model).stream('hi')) whole = whole?.concat(piece) ?? piece;
    expect(whole?.text).toBe(text);
    // ChatAnthropic takes the input from the first event and adds up the output of the first and last.
    // For a provider that counts only at the end, the first event has our estimate and no output.
    const input = expect.toSatisfy((tokens: number) => tokens > 0 && tokens < 20);
    const usage = {
      ChatOpenAI: { input_tokens: 20, output_tokens: 10 },
      ChatAnthropic:
        model === GPT ? { input_tokens: input, output_tokens: 10 } : { input_tokens: 20, output_tokens: 11 },
    };
    expect(whole?.usage_metadata).toMatchObject(usage[className]);
  });

  test('binds tools and sends their results', async () => {
    upstream.script(name, callTools(model), reply(model, 'Warm in both'));
    const bound = open(model).bindTools([weather]);
    const question = new HumanMessage('Weather?');
    const first = await bound.invoke([question]);
    expect(first.tool_calls).toMatchObject(CALLS);

    const results = await Promise.all(
      (first.tool_calls ?? []).map(
        (call) => weather.invoke({ ...call, type: 'tool_call' }) as Promise<ToolMessage>,
      ),
    );
    expect(results.every((result) => result instanceof ToolMessage)).toBe(true);
    const second = await bound.invoke([question, first, ...results]);
    expect(second.text).toBe('Warm in both');
    const sent = JSON.stringify(upstream.lastBody(name).messages);
    for (const { id, args } of CALLS) expect(sent).toMatch(new RegExp(`${id}.*warm in ${args.city}`));
  });

  test('returns structured output through a forced tool', async () => {
    const input = { city: 'Bern', degrees: 7 };
    upstream.script(
      name,
      model === CLAUDE
        ? message([{ type: 'tool_use', id: 'call_1', name: 'answer', input }], 'tool_use')
        : completion(
            {
              tool_calls: [
                {
                  id: 'call_1',
                  type: 'function',
                  function: { name: 'answer', arguments: JSON.stringify(input) },
                },
              ],
            },
            'tool_calls',
          ),
    );
    const schema = z.object({ city: z.string(), degrees: z.number() });
    const structured = open(model).withStructuredOutput(schema, {
      name: 'answer',
      method: 'functionCalling',
    });
    expect(await structured.invoke('Weather?')).toEqual(input);
    expect(upstream.lastBody(name).tool_choice).toEqual(
      model === CLAUDE
        ? { type: 'tool', name: 'answer' }
        : { type: 'function', function: { name: 'answer' } },
    );
  });

  test('throws refusals with their status', async () => {
    await expect(open('no/such').invoke('hi')).rejects.toMatchObject({ status: 404 });
  });
});
