import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoopbackServer } from '@/sandbox/loopback-server';
import { SPLIT_UTF8_TEXT } from '@/sandbox/provider/answers';
import { startSandboxProvider } from '@/sandbox/provider/server';

let provider: LoopbackServer;
let openai: OpenAI;
beforeAll(async () => {
  provider = await startSandboxProvider();
  openai = new OpenAI({ apiKey: 'sk-upstream-secret', baseURL: provider.url, maxRetries: 0 });
});
afterAll(() => provider.close());

const user = (content: string) => [{ role: 'user' as const, content }];
const log = async () => (await fetch(new URL('/__sandbox/requests', provider.url))).json();

async function stream(
  model: string,
  content: string,
  extra: { max_tokens?: number; include_usage?: boolean } = {},
) {
  const { include_usage = false, ...rest } = extra;
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  const events = await openai.chat.completions.create({
    model,
    messages: user(content),
    stream: true,
    stream_options: { include_usage },
    ...rest,
  });
  for await (const chunk of events) chunks.push(chunk);
  return { chunks, text: chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('') };
}

/** The raw text of a stream, as far as it arrives. */
async function streamRaw(path: string, body: object) {
  const response = await fetch(`${provider.url}${path}`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, ...body }),
  });
  let text = '';
  let broken = false;
  try {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
  } catch {
    broken = true;
  }
  return { status: response.status, text, broken };
}

describe('chat completions', () => {
  test('echo returns the last user message and OpenAI usage', async () => {
    const completion = await openai.chat.completions.create({
      model: 'echo',
      messages: user('Hello there, world'),
    });
    expect(completion.id).toMatch(/^chatcmpl-/);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Hello there, world' },
    });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 9,
      completion_tokens: 3,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });

  test('a stream is role, content, finish; usage comes only if requested', async () => {
    const plain = await stream('echo', 'one two');
    expect(plain.text).toBe('one two');
    expect(plain.chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(plain.chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(plain.chunks.every((chunk) => !('usage' in chunk))).toBe(true);
    expect(new Set(plain.chunks.map((chunk) => `${chunk.id} ${chunk.created} ${chunk.model}`)).size).toBe(1);

    const metered = await stream('echo', 'one two', { include_usage: true });
    expect(metered.chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 2 } });
    expect(metered.chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    const raw = await streamRaw('/chat/completions', { model: 'echo', messages: user('x') });
    expect(raw.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('max_tokens ends a response with finish_reason length', async () => {
    const { chunks, text } = await stream('story', 'Tell me a story', { max_tokens: 5, include_usage: true });
    expect(text.trim().split(/\s+/).length).toBe(5);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('length');
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(5);
  });

  test('the same prompt gets the same story', async () => {
    const requestStory = () =>
      openai.chat.completions.create({ model: 'story', messages: user('cats'), max_tokens: 20 });
    const [first, second] = await Promise.all([requestStory(), requestStory()]);
    expect(first.choices[0]?.message.content).toBe(second.choices[0]?.message.content);
  });

  test('a stop text is omitted', async () => {
    const completion = await openai.chat.completions.create({
      model: 'echo',
      messages: user('one two three'),
      stop: ' three',
    });
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'one two' } });
  });

  test('a repeated prompt is cached in blocks of 64 tokens', async () => {
    const long = `cache ${'word '.repeat(100)}`;
    const send = () => openai.chat.completions.create({ model: 'echo', messages: user(long) });
    expect((await send()).usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect((await send()).usage).toMatchObject({
      prompt_tokens: 131,
      prompt_tokens_details: { cached_tokens: 128 },
    });
  });

  test('tool calls the first tool, then responds with its result', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ];
    const runner = openai.chat.completions.stream({ model: 'tool', messages: user('Oslo'), tools });
    const completion = await runner.finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    const [call] = completion.choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    });
    const result = await openai.chat.completions.create({
      model: 'tool',
      messages: [
        ...user('Oslo'),
        { role: 'assistant', tool_calls: [call as never] },
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'rain' },
      ],
      tools,
    });
    expect(result.choices[0]?.message.content).toBe('The tool returned: rain');

    const later = await openai.chat.completions.create({
      model: 'tool',
      messages: [
        ...user('Oslo'),
        { role: 'assistant', tool_calls: [call as never] },
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'rain' },
        ...user('Go on'),
      ],
      tools,
    });
    expect(later.choices[0]?.message.content).toBe('The tool returned: rain');
    const none = { model: 'tool', messages: user('Oslo'), tools, tool_choice: 'none' as const };
    const refused = await openai.chat.completions.create(none);
    expect(refused.choices[0]?.message.content).toBe('The request has no tools.');
  });

  const city = { type: 'object' as const, properties: { city: { type: 'string' } } };
  const twoTools = ['weather', 'time'].map((name) => ({
    type: 'function' as const,
    function: { name, parameters: city },
  }));

  test.each<[object, string[]]>([
    [{}, ['weather', 'time']],
    [{ parallel_tool_calls: false }, ['weather']],
    [{ tool_choice: { type: 'function', function: { name: 'time' } } }, ['time']],
  ])('tool with two tools and %j calls %j, whole and streamed', async (more, expected) => {
    const request = { model: 'tool', messages: user('Oslo'), tools: twoTools, ...more };
    const whole = await openai.chat.completions.create(request);
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      const calls = (choices[0]?.message.tool_calls ?? []) as { function: object }[];
      expect(calls.map((call) => call.function)).toMatchObject(
        expected.map((name) => ({ name, arguments: '{"city":"Oslo"}' })),
      );
    }
  });

  test('the same in the messages format, whole and streamed', async () => {
    const client = new Anthropic({ apiKey: 'k', baseURL: new URL(provider.url).origin, maxRetries: 0 });
    const tools = ['weather', 'time'].map((name) => ({ name, input_schema: city }));
    const request = { model: 'tool', max_tokens: 99, messages: user('Oslo'), tools };
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const { content, stop_reason } of [whole, streamed])
      expect([stop_reason, content]).toMatchObject([
        'tool_use',
        [
          { name: 'weather', input: { city: 'Oslo' } },
          { name: 'time', input: { city: 'Oslo' } },
        ],
      ]);
    const result = { type: 'tool_result' as const, tool_use_id: 't', content: 'rain' };
    const { content } = await client.messages.create({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: whole.content },
        { role: 'user', content: [result, { type: 'text', text: 'Go on' }] },
      ],
    });
    expect(content).toMatchObject([{ text: 'The tool returned: rain' }]);
  });

  test('a schema is filled with values of its types', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        day: { type: 'string', format: 'date' },
        sizes: { type: 'array', items: { type: 'integer' }, minItems: 2 },
        inner: { $ref: '#/$defs/Inner' },
        maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
        kind: { enum: ['a', 'b'] },
      },
      $defs: { Inner: { type: 'object', properties: { ok: { type: ['boolean', 'null'] } } } },
    };
    const { choices } = await openai.chat.completions.create({
      model: 'echo',
      messages: user('Oslo'),
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({
      name: 'Oslo',
      day: '2026-11-21',
      sizes: [1, 1],
      inner: { ok: true },
      maybe: 1.5,
      kind: 'a',
    });
  });
});

describe('failures', () => {
  test.each([
    ['error-400', OpenAI.BadRequestError],
    ['error-401', OpenAI.AuthenticationError],
    ['error-429', OpenAI.RateLimitError],
    ['error-500', OpenAI.InternalServerError],
    ['no-such-model', OpenAI.NotFoundError],
  ])('%s is the error class of the SDK', async (model, expected) => {
    await expect(openai.chat.completions.create({ model, messages: user('x') })).rejects.toBeInstanceOf(
      expected,
    );
  });

  test('a 429 says when to retry', async () => {
    const response = await fetch(`${provider.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'error-429', messages: user('x') }),
    });
    expect(response.headers.get('retry-after')).toBe('7');
  });

  test('bad JSON and n = 2 are refused with 400', async () => {
    const response = await fetch(`${provider.url}/chat/completions`, { method: 'POST', body: '{' });
    expect(response.status).toBe(400);
    await expect(
      openai.chat.completions.create({ model: 'echo', n: 2, messages: user('x') }),
    ).rejects.toMatchObject({
      status: 400,
      param: 'n',
    });
  });

  test('an error inside a stream is raised, at its start or in its middle', async () => {
    await expect(stream('error-in-stream', 'x')).rejects.toThrow('error while processing');
    await expect(stream('error-mid-stream', 'x')).rejects.toThrow('error while processing');
  });

  test('cut closes the connection after some content', async () => {
    const raw = await streamRaw('/chat/completions', { model: 'cut', messages: user('x') });
    expect(raw).toMatchObject({ status: 200, broken: true });
    expect(raw.text).toContain('"content":" One"');
    expect(raw.text).not.toContain('[DONE]');
  });

  test('no-done and no-finish omit exactly that', async () => {
    const noDone = await streamRaw('/chat/completions', { model: 'no-done', messages: user('x') });
    expect(noDone).toMatchObject({ broken: false });
    expect(noDone.text).toContain('"finish_reason":"stop"');
    expect(noDone.text).not.toContain('[DONE]');
    const noFinish = await streamRaw('/chat/completions', { model: 'no-finish', messages: user('x') });
    expect(noFinish.text).not.toContain('"finish_reason":"stop"');
    expect(noFinish.text).toContain('[DONE]');
  });

  test('a correct reader reassembles split characters and CRLF lines', async () => {
    expect((await stream('split-utf8', 'x')).text).toBe(SPLIT_UTF8_TEXT);
  });

  test('no-usage never reports usage and big-usage reports more than the limit', async () => {
    const silent = await stream('no-usage', 'x', { include_usage: true });
    expect(silent.chunks.some((chunk) => chunk.usage)).toBe(false);
    const loud = await stream('big-usage', 'x', { include_usage: true, max_tokens: 10 });
    expect(loud.chunks.at(-1)?.usage?.completion_tokens).toBe(100_000);
  });

  test.each(['stall', 'story'])(
    '%s stops when the client disconnects, and the abort is counted',
    async (model) => {
      const before = (await log()).aborted;
      const events = await openai.chat.completions.create({ model, messages: user('x'), stream: true });
      for await (const chunk of events) if (chunk.choices[0]?.delta.content) break;
      await expect.poll(async () => (await log()).aborted).toBe(before + 1);
    },
  );

  test('slow sends no headers before the client gives up', async () => {
    const before = (await log()).aborted;
    await expect(
      openai.chat.completions.create({ model: 'slow', messages: user('x') }, { timeout: 100 }),
    ).rejects.toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
    await expect.poll(async () => (await log()).aborted).toBe(before + 1);
  });
});

describe('messages', () => {
  test('returns a whole response in the Anthropic shape', async () => {
    const body = { model: 'echo', max_tokens: 100, messages: user('Hi there') };
    const response = await fetch(`${provider.url}/messages`, { method: 'POST', body: JSON.stringify(body) });
    expect(await response.json()).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 6, cache_read_input_tokens: 0, output_tokens: 2 },
    });
  });

  test('streams Anthropic’s event sequence', async () => {
    const { text } = await streamRaw('/messages', {
      model: 'echo',
      max_tokens: 1,
      messages: user('Hi there'),
    });
    const names = [...text.matchAll(/^event: (.+)$/gm)].map((match) => match[1]);
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(text).toContain('"stop_reason":"max_tokens"');
  });

  test.each([false, true])('searches the web once if it may (stream: %s)', async (isStream) => {
    const client = new Anthropic({ apiKey: 'sk', baseURL: provider.url.replace(/\/v1$/, ''), maxRetries: 0 });
    const request = {
      model: 'echo',
      max_tokens: 50,
      messages: user('shops in Ginza'),
      tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const }],
    };
    const message = isStream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    expect(message.content).toMatchObject([
      { type: 'server_tool_use', name: 'web_search', input: { query: 'shops in Ginza' } },
      { type: 'web_search_tool_result', content: [{ url: 'https://example.com/first' }, {}] },
      { type: 'text', text: 'shops in Ginza' },
    ]);
    expect(message.usage).toMatchObject({
      server_tool_use: { web_search_requests: 1 },
      input_tokens: 2 * 8 + 1_000,
    });
    const { content } = await client.messages.create({ ...request, tool_choice: { type: 'none' } });
    expect(content).toMatchObject([{ type: 'text' }]);
  });

  test('errors have the Anthropic shape, and max_tokens is required', async () => {
    const response = await fetch(`${provider.url}/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'echo', messages: user('x') }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });
});

test('the last requests are kept without the credential', async () => {
  await openai.chat.completions.create({ model: 'echo', messages: user('remember me') });
  const { requests } = await log();
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    body: { model: 'echo', messages: user('remember me') },
  });
  expect(requests[0].headers.authorization).toBe('[redacted]');
  expect(JSON.stringify(requests)).not.toContain('sk-upstream-secret');
});
