import { describe, expect, test } from 'vitest';
import { keepNumbers, writeExactly } from '@/server/gateway/protocols/exact-numbers';
import type { Json } from '@/server/gateway/protocols/neutral';
import { exchange } from './exchange-harness';

/** JavaScript numbers cannot hold an id of twenty digits: it arrives as it was written. */

const ID = '1234567890123456789';
const ARGUMENTS = `{"ids":[-${ID},7],"text":"a \\"quoted\\" ${ID}, and","fraction":0.1234567890123456789}`;
const arrived = /"ids":\[-1234567890123456789,7\],"text":"a \\"quoted\\" 1234567890123456789, and"/;

const chatHistory = [
  { role: 'user', content: `Of ${ID}` },
  {
    role: 'assistant',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: ARGUMENTS } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'done' },
];
const messagesHistory = `[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${ARGUMENTS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}]`;
const messagesRequest = `{"model":"some/model","max_tokens":100,"tools":[{"name":"f","input_schema":{"type":"object","properties":{"id":{"enum":[${ID}]}}}}],"messages":${messagesHistory}}`;

/** As the use case reads it. */
const read = (text: string): Promise<Json> => keepNumbers(JSON.parse(text) as Json, { text, strings: [] });

/** As the provider receives it. */
const write = (format: 'chat' | 'messages', request: Json, provider: string): string =>
  writeExactly(exchange(format, request, { provider }).body);

describe('the arguments of a tool call in a request', () => {
  test('chat to the Anthropic format', async () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const request = JSON.stringify({ model: 'some/model', tools, messages: chatHistory });
    expect(write('chat', await read(request), 'anthropic')).toMatch(arrived);
  });

  test('messages to the OpenAI format: in the text of the arguments', async () => {
    const { messages } = JSON.parse(write('messages', await read(messagesRequest), 'openai'));
    expect(messages[1].tool_calls[0].function.arguments).toMatch(arrived);
  });

  test.each(['anthropic', 'openai'])('messages to %s: the schema of the tool as well', async (provider) => {
    expect(write('messages', await read(messagesRequest), provider)).toContain(`"enum":[${ID}]`);
  });

  test('messages to the Anthropic format', async () => {
    expect(write('messages', await read(messagesRequest), 'anthropic')).toMatch(arrived);
  });
});

describe('the arguments of a tool call in a whole response', () => {
  const request = { model: 'some/model', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };

  test('from the Anthropic format, in the text of the arguments', () => {
    const response = `{"content":[{"type":"tool_use","id":"t","name":"f","input":${ARGUMENTS}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`;
    const { body } = exchange('chat', request, { provider: 'anthropic' }).readWhole(response);
    expect(JSON.parse(body).choices[0].message.tool_calls[0].function.arguments).toMatch(arrived);
  });

  test('from the OpenAI format', () => {
    const message = { tool_calls: [{ id: 'c', function: { name: 'f', arguments: ARGUMENTS } }] };
    const response = JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] });
    expect(exchange('messages', request, { provider: 'openai' }).readWhole(response).body).toMatch(arrived);
  });
});
