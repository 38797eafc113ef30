import { describe, expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { CHAT, eventsOf, exchange, frameEvents, MESSAGES, type Relayed, relay } from './exchange-harness';
import { CHAT_FIXTURES, chunk, MESSAGES_FIXTURES } from './fixtures';
import { readWithAnthropic, readWithOpenAi } from './official-clients';

const chatRequest = { ...CHAT, stream: true, stream_options: { include_usage: true } };
const messagesRequest = { ...MESSAGES, stream: true };
const exchangeFor = (format: 'chat' | 'messages', provider: string) =>
  exchange(format, format === 'chat' ? chatRequest : messagesRequest, { provider });

type Response = { text: string; calls: [string, unknown][]; reasoning: string };

async function readChatResponse({ text }: Relayed): Promise<Response & { finish: string | undefined }> {
  const [choice] = (await readWithOpenAi(text)).choices;
  const message = choice?.message as unknown as Json & {
    tool_calls?: { function: { name: string; arguments: string } }[];
  };
  return {
    text: String(message.content ?? ''),
    calls: (message.tool_calls ?? []).map(({ function: { name, arguments: json } }) => [
      name,
      JSON.parse(json || '{}'),
    ]),
    reasoning: eventsOf(text)
      .map(
        (event) =>
          (event as { choices: { delta?: { reasoning_content?: string } }[] }).choices[0]?.delta
            ?.reasoning_content ?? '',
      )
      .join(''),
    finish: choice?.finish_reason,
  };
}

async function readMessagesResponse({ text }: Relayed): Promise<Response & { stop: string | null }> {
  const message = await readWithAnthropic(text);
  return {
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: message.content.flatMap((block) =>
      block.type === 'tool_use' ? [[block.name, block.input] as [string, unknown]] : [],
    ),
    reasoning: message.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    stop: message.stop_reason,
  };
}

describe.each(Object.entries(CHAT_FIXTURES))('%s', (_, fixture) => {
  const bytes = frameEvents(fixture.events, { done: fixture.done ?? false });
  const expected = {
    text: fixture.text ?? '',
    calls: fixture.calls ?? [],
  };

  test('passes unchanged to a client of the same format', async () => {
    const relayed = relay(exchangeFor('chat', fixture.provider), bytes);
    expect(relayed.facts).toMatchObject({ finished: true, failure: null });
    expect(await readChatResponse(relayed)).toMatchObject(expected);
    expect(relayed.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('is translated for a client of the messages format', async () => {
    const relayed = relay(exchangeFor('messages', fixture.provider), bytes);
    const stop = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens' }[fixture.stop];
    expect(await readMessagesResponse(relayed)).toEqual({
      ...expected,
      reasoning: fixture.reasoning ?? '',
      stop,
    });
    const [input, cacheRead, cacheWrite5m, output, reasoning] = fixture.usage;
    expect(relayed.facts.usage).toEqual({
      input,
      cacheRead,
      cacheWrite5m,
      cacheWrite1h: 0,
      output,
      reasoning,
    });
  });
});

describe.each(Object.entries(MESSAGES_FIXTURES))('%s', (_, fixture) => {
  const expected = {
    text: fixture.text ?? '',
    calls: fixture.calls ?? [],
    reasoning: fixture.reasoning ?? '',
  };

  test.each([true, false])(
    'passes unchanged to a client of the same format, with named events or without (%s)',
    async (names) => {
      const relayed = relay(exchangeFor('messages', 'anthropic'), frameEvents(fixture.events, { names }));
      expect(await readMessagesResponse(relayed)).toEqual({ ...expected, stop: fixture.stop });
      const [input, cacheRead, cacheWrite5m, cacheWrite1h, output] = fixture.usage;
      expect(relayed.facts.usage).toMatchObject({ input, cacheRead, cacheWrite5m, cacheWrite1h, output });
    },
  );

  test('is translated for a client of the chat format', async () => {
    const relayed = relay(exchangeFor('chat', 'anthropic'), frameEvents(fixture.events, { names: true }));
    const finish =
      {
        tool_use: 'tool_calls',
        max_tokens: 'length',
        model_context_window_exceeded: 'length',
        refusal: 'content_filter',
      }[fixture.stop] ?? 'stop';
    expect(await readChatResponse(relayed)).toEqual({ ...expected, finish });
  });
});

describe('the sequence of a translated chat stream', () => {
  const { events } = MESSAGES_FIXTURES['a tool without arguments'] ?? { events: [] };

  test('one role chunk, a dense tool index, finish and usage apart, [DONE]', () => {
    const { text } = relay(exchangeFor('chat', 'anthropic'), frameEvents(events));
    const chunks = eventsOf(text);
    expect(chunks.map((event) => (event.choices as Json[])[0] ?? 'usage')).toEqual([
      {
        index: 0,
        delta: {
          role: 'assistant',
          content: '',
          refusal: null,
        },
        logprobs: null,
        finish_reason: null,
      },
      {
        index: 0,
        delta: {
          tool_calls: [
            {
              index: 0,
              id: 'toolu_1',
              type: 'function',
              function: { name: 'update', arguments: '' },
            },
          ],
        },
        logprobs: null,
        finish_reason: null,
      },
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
        logprobs: null,
        finish_reason: null,
      },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' },
      'usage',
    ]);
    expect(
      new Set(chunks.map(({ id, created, model, object }) => `${id} ${created} ${model} ${object}`)),
    ).toEqual(new Set(['chatcmpl-id1 1700000000 some/model chat.completion.chunk']));
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)?.usage).toEqual({
      prompt_tokens: 43,
      completion_tokens: 2,
      total_tokens: 45,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });

  test('no usage unless the request asks for it', () => {
    const { text } = relay(
      exchange('chat', { ...CHAT, stream: true }, { provider: 'anthropic' }),
      frameEvents(events),
    );
    expect(text).not.toContain('usage');
    expect(eventsOf(text).every(({ choices }) => (choices as Json[]).length === 1)).toBe(true);
  });

  test('reasoning includes what must be sent back, byte for byte', () => {
    const fixture = MESSAGES_FIXTURES['thinking with its signature, and redacted thinking'];
    const { text } = relay(exchangeFor('chat', 'anthropic'), frameEvents(fixture?.events ?? []));
    const details = eventsOf(text).flatMap((event) => {
      const [choice] = event.choices as { delta: { reasoning_details?: Json[] } }[];
      return choice?.delta.reasoning_details ?? [];
    });
    expect(details).toEqual([
      { type: 'reasoning.text', text: 'Hm', signature: 'EvQB+/=', index: 0 },
      { type: 'reasoning.encrypted', data: 'opaque', index: 1 },
    ]);
  });

  test('a refusal includes its reason', () => {
    const { text } = relay(
      exchangeFor('chat', 'anthropic'),
      frameEvents(MESSAGES_FIXTURES['a refusal without any block']?.events ?? []),
    );
    expect(text).toContain('"refusal":"Blocked."');
  });
});

describe('the sequence of a translated messages stream', () => {
  test('message_start, ping, dense blocks, message_delta, message_stop, each named by its type', () => {
    const fixture = CHAT_FIXTURES['everything in one chunk'];
    const { text } = relay(
      exchangeFor('messages', 'generic'),
      frameEvents(fixture?.events ?? [], { done: true }),
    );
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(names).toEqual(eventsOf(text).map(({ type }) => type));
    expect(
      eventsOf(text).map(({ type, index, delta, content_block: block }) =>
        [type, index, (delta as Json)?.type ?? (block as Json)?.type].filter((value) => value !== undefined),
      ),
    ).toEqual([
      ['message_start'],
      ['ping'],
      ['content_block_start', 0, 'thinking'],
      ['content_block_delta', 0, 'thinking_delta'],
      ['content_block_delta', 0, 'signature_delta'],
      ['content_block_stop', 0],
      ['content_block_start', 1, 'text'],
      ['content_block_delta', 1, 'text_delta'],
      ['content_block_stop', 1],
      ['content_block_start', 2, 'tool_use'],
      ['content_block_delta', 2, 'input_json_delta'],
      ['content_block_stop', 2],
      ['message_delta'],
      ['message_stop'],
    ]);
    expect(eventsOf(text).at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null },
      usage: {
        input_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 1,
        output_tokens_details: { thinking_tokens: 0 },
        service_tier: 'standard',
      },
    });
  });

  test('the closing text contains the end and none of the content', () => {
    const fixture = CHAT_FIXTURES['Moonshot: last text and finish in one chunk, no [DONE]'];
    const { closing } = relay(exchangeFor('messages', 'moonshot'), frameEvents(fixture?.events ?? []));
    expect(eventsOf(closing).map(({ type }) => type)).toEqual([
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });
});

test('block numbers continue after a second beginning, for a client of the same format', () => {
  const { events } = MESSAGES_FIXTURES['a second message_start in the middle, indexes from 0 again'] ?? {
    events: [],
  };
  const { text } = relay(exchangeFor('messages', 'anthropic'), frameEvents(events));
  const indexes = eventsOf(text).flatMap(({ index }) => (index === undefined ? [] : [index]));
  expect(indexes).toEqual([0, 0, 0, 1, 1, 1]);
  expect(eventsOf(text).filter(({ type }) => type === 'message_start')).toHaveLength(1);
});

describe('a stream that breaks', () => {
  const role = chunk({ role: 'assistant', content: 'Hi' });
  const begun = (MESSAGES_FIXTURES['a tool without arguments']?.events ?? []).slice(0, 2);
  const cut = { openai: [role], anthropic: begun };
  const failed = {
    openai: [role, { error: { message: 'secret sk-abcdefghijkl', code: 500 } }],
    anthropic: [...begun, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
  };
  const notJson = { openai: [role, '{"choices":['], anthropic: begun };

  test.each([
    ['chat', 'openai'],
    ['chat', 'anthropic'],
    ['messages', 'openai'],
    ['messages', 'anthropic'],
  ] as const)('%s from %s: a cut or an error never looks like a finished response', (format, provider) => {
    for (const [name, events] of Object.entries({ cut, failed, notJson })) {
      const { text, facts, closing } = relay(exchangeFor(format, provider), frameEvents(events[provider]));
      expect(facts.failure, name).not.toBeNull();
      expect(facts.finished, name).toBe(false);
      expect(closing, name).toBe('');
      expect(text, name).not.toMatch(/\[DONE\]|message_stop|message_delta/);
      expect(text, name).not.toContain('secret');
    }
  });

  test('the error frame has the client’s format', () => {
    const { error } = relay(exchangeFor('chat', 'openai'), frameEvents(cut.openai)).facts.failure ?? {};
    if (error === undefined) throw new Error('no failure');
    expect(exchangeFor('chat', 'openai').openStream().fail(error)).toBe(
      'data: {"error":{"message":"The provider for this model ended the response early","type":"upstream_error","param":null,"code":"502"}}\n\n',
    );
    expect(exchangeFor('messages', 'openai').openStream().fail(error)).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"upstream_error","message":"The provider for this model ended the response early"}}\n\n',
    );
  });

  test('the official clients throw it', async () => {
    const stream = exchangeFor('messages', 'openai').openStream();
    const text = stream.push(frameEvents(cut.openai)) + stream.end();
    const { error } = stream.facts.failure ?? {};
    await expect(readWithAnthropic(text + (error ? stream.fail(error) : ''))).rejects.toThrow(
      /ended the response early/,
    );
    const chat = exchangeFor('chat', 'openai').openStream();
    const chatText = chat.push(frameEvents(cut.openai)) + chat.end();
    await expect(readWithOpenAi(chatText + (error ? chat.fail(error) : ''))).rejects.toThrow(
      /ended the response early/,
    );
  });

  test('a first event that is an error is detected before the response starts', () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(relay(exchangeFor('chat', 'anthropic'), frameEvents([overloaded])).facts).toMatchObject({
      started: false,
      failure: { kind: 'unavailable', status: 529 },
    });
    const limited = { error: { message: 'Rate limit', code: 429 } };
    expect(relay(exchangeFor('chat', 'openrouter'), frameEvents([limited])).facts).toMatchObject({
      started: false,
      failure: { kind: 'busy', status: 429 },
    });
  });

  test('an event of more than 20 MB is refused, and one just below is processed quickly', () => {
    const big = (megabytes: number) =>
      frameEvents([
        chunk({ role: 'assistant', content: 'x'.repeat(megabytes * 1024 * 1024) }),
        chunk({}, 'stop'),
      ]);
    const splits = Array.from({ length: 1_400 }, (_, index) => index * 16_384);
    expect(relay(exchangeFor('chat', 'openai'), big(21), splits).facts.failure?.error.code).toBe(
      'upstream_error',
    );
    expect(relay(exchangeFor('chat', 'openai'), big(19), splits).facts.failure).toBeNull();
  });
});

/** `[DONE]` and `message_stop` mark the response as complete; the reason follows from its content. */
describe('a stream that ends properly without a reason', () => {
  const role = chunk({ role: 'assistant', content: 'Hi' });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } };
  const chat = { text: [role, usage], call: [role, chunk({ tool_calls: [call] }), usage] };

  const withoutReason = (name: string) =>
    (MESSAGES_FIXTURES[name]?.events ?? []).filter((event) => (event as Json).type !== 'message_delta');
  const messages = {
    text: withoutReason('plain: pings anywhere, between blocks too'),
    call: withoutReason('a tool without arguments'),
  };

  test.each(['text', 'call'] as const)('%s, from the OpenAI format', async (kind) => {
    const bytes = frameEvents(chat[kind], { done: true });
    const relayed = relay(exchangeFor('chat', 'openai'), bytes);
    expect((await readChatResponse(relayed)).finish).toBe(kind === 'text' ? 'stop' : 'tool_calls');
    expect(eventsOf(relayed.text).at(-1)).toMatchObject({ choices: [], usage: usage.usage });
    const translated = relay(exchangeFor('messages', 'openai'), bytes);
    expect((await readMessagesResponse(translated)).stop).toBe(kind === 'text' ? 'end_turn' : 'tool_use');
  });

  test.each(['text', 'call'] as const)('%s, from the Anthropic format', async (kind) => {
    const bytes = frameEvents(messages[kind], { names: true });
    const relayed = relay(exchangeFor('messages', 'anthropic'), bytes);
    expect((await readMessagesResponse(relayed)).stop).toBe(kind === 'text' ? 'end_turn' : 'tool_use');
    const translated = relay(exchangeFor('chat', 'anthropic'), bytes);
    expect((await readChatResponse(translated)).finish).toBe(kind === 'text' ? 'stop' : 'tool_calls');
  });

  test('every one of several choices is finished', () => {
    const two = [role, { ...role, choices: [{ index: 1, delta: { role: 'assistant', content: 'Ho' } }] }];
    const { text } = relay(exchangeFor('chat', 'openai'), frameEvents(two, { done: true }));
    const finished = eventsOf(text).flatMap(({ choices }) =>
      (choices as Json[]).flatMap(({ index, finish_reason }) =>
        finish_reason ? [[index, finish_reason]] : [],
      ),
    );
    expect(finished).toEqual([
      [0, 'stop'],
      [1, 'stop'],
    ]);
  });

  test.each([null, undefined, '', 'eos', 'STOP'])(
    'a whole response with the reason %j ends normally',
    (given) => {
      const message = { role: 'assistant', content: 'Hi', refusal: null };
      const response = {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: given }],
        usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
      };
      const { body } = exchange('chat', CHAT).readWhole(JSON.stringify(response));
      expect(JSON.parse(body)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    },
  );
});

test('a stream without a response is a failure before it began, not an empty response', () => {
  const nothing = frameEvents([{ choices: [], usage: { prompt_tokens: 5, completion_tokens: 0 } }], {
    done: true,
  });
  for (const format of ['chat', 'messages'] as const) {
    const { text, facts } = relay(exchangeFor(format, 'openai'), nothing);
    expect(facts).toMatchObject({ started: false, finished: false, failure: { kind: 'unavailable' } });
    expect(text).toBe('');
  }
});

describe('a single object in response to a stream request', () => {
  const completion = JSON.stringify(
    {
      id: 'x',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    },
    null,
    2,
  );
  const message = JSON.stringify(
    {
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 1 },
    },
    null,
    2,
  );

  test.each([
    ['chat', 'openai', completion],
    ['chat', 'anthropic', message],
    ['messages', 'openai', completion],
    ['messages', 'anthropic', message],
  ] as const)('%s from %s: becomes a stream', async (format, provider, body) => {
    const relayed = relay(exchangeFor(format, provider), new TextEncoder().encode(body));
    expect(
      format === 'chat' ? await readChatResponse(relayed) : await readMessagesResponse(relayed),
    ).toMatchObject({
      text: 'Hi',
    });
    expect(relayed.facts).toMatchObject({ usage: { input: 3, output: 1 }, outputBytes: 2, finished: true });
  });

  test('an error object fails with the status that it means', () => {
    const body = new TextEncoder().encode('{"error":{"message":"Rate limit","type":"rate_limit_error"}}');
    expect(relay(exchangeFor('chat', 'openai'), body).facts.failure).toMatchObject({ kind: 'busy' });
  });

  test('an HTML page is not a response', () => {
    const body = new TextEncoder().encode('<html>\n\ndata: x\n\n</html>');
    expect(relay(exchangeFor('chat', 'openai'), body).facts.failure).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a provider that reports no usage', () => {
  test('the client receives the estimate that the bill uses', () => {
    const events = [chunk({ role: 'assistant', content: 'x'.repeat(400) }), chunk({}, 'stop')];
    const { text, facts } = relay(exchangeFor('messages', 'openai'), frameEvents(events, { done: true }));
    expect(facts).toMatchObject({ usage: null, outputBytes: 400 });
    expect(eventsOf(text).at(-2)?.usage).toMatchObject({ output_tokens: 100 });
  });

  test('a whole response contains the estimate too, in either format', () => {
    const message = { role: 'assistant', content: 'x'.repeat(400) };
    const chat = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: { prompt_tokens: -1 } };
    expect(JSON.parse(exchange('chat', CHAT).readWhole(JSON.stringify(chat)).body).usage).toMatchObject({
      completion_tokens: 100,
    });
    const response = { content: [{ type: 'text', text: 'x'.repeat(300) }], stop_reason: 'end_turn' };
    const whole = exchange('messages', MESSAGES, { provider: 'anthropic' }).readWhole(
      JSON.stringify(response),
    );
    expect(JSON.parse(whole.body).usage).toMatchObject({ output_tokens: 100 });
  });

  test.each([
    { output_tokens: 0 },
    { output_tokens: -4 },
    { output_tokens: 1.5 },
    { input_tokens: -1 },
    null,
  ])(
    'impossible usage (%j) is not passed on in a messages stream either: the client reads what is billed',
    async (usage) => {
      const { events } = MESSAGES_FIXTURES['plain: pings anywhere, between blocks too'] ?? { events: [] };
      const odd = events.map((event) =>
        (event as Json).type === 'message_delta' ? { ...(event as Json), usage } : event,
      );
      const { text } = relay(exchangeFor('messages', 'anthropic'), frameEvents(odd));
      // Seven bytes.
      expect((await readWithAnthropic(text)).usage).toMatchObject({ input_tokens: 3, output_tokens: 3 });
    },
  );

  test('the SDKs of the messages format find the numbers that they require', async () => {
    const { events } = MESSAGES_FIXTURES['plain: pings anywhere, between blocks too'] ?? { events: [] };
    const withoutUsage = events.map((event) =>
      JSON.parse(JSON.stringify(event, (key, value) => (key === 'usage' ? undefined : value))),
    );
    const relayed = relay(exchangeFor('messages', 'anthropic'), frameEvents(withoutUsage));
    expect((await readWithAnthropic(relayed.text)).usage.output_tokens).toBeGreaterThan(0);
    expect(relayed.facts.usage).toBeNull();
  });
});
