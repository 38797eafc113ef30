import { describe, expect, test } from 'vitest';
import type { Json } from '@/server/gateway/protocols/neutral';
import { CHAT, eventsOf, exchange, MESSAGES, relay } from './exchange-harness';
import { chunk } from './fixtures';
import { readResponse, readWithAnthropic, readWithOpenAi } from './official-clients';

/** When a stream is complete, and when it has failed. */

type Client = 'chat' | 'messages' | 'responses';
type Provider = 'openai' | 'anthropic' | 'responses';

const REQUESTS: Record<Client, Json> = {
  chat: { ...CHAT, stream: true, stream_options: { include_usage: true } },
  messages: { ...MESSAGES, stream: true },
  responses: { model: 'some/model', input: 'Hi', stream: true },
};
const READERS: Record<Client, (text: string) => Promise<unknown>> = {
  chat: readWithOpenAi,
  messages: readWithAnthropic,
  responses: readResponse,
};

const data = (event: Json): string => `data: ${JSON.stringify(event)}`;
const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
const response = (status: string, output: Json[]): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'm',
  output,
  error: null,
  usage: { input_tokens: 20, output_tokens: 9, total_tokens: 29 },
});
const item = { id: 'msg_1', type: 'message', role: 'assistant' };
const part = { type: 'output_text', annotations: [] };

/** Each begins with the text "The answer is 4", and goes on with how it ends. */
const STREAMS: Record<Provider, { begin: Json[]; end: Json[]; mark: Json[] }> = {
  openai: {
    begin: [chunk({ role: 'assistant', content: '' }), chunk({ content: 'The answer is 4' })],
    end: [chunk({}, 'stop')],
    mark: [{ ...head, choices: [], usage }],
  },
  anthropic: {
    begin: [
      {
        type: 'message_start',
        message: { id: 'm', content: [], usage: { input_tokens: 20, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'The answer is 4' } },
      { type: 'content_block_stop', index: 0 },
    ],
    end: [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }],
    mark: [{ type: 'message_stop' }],
  },
  responses: {
    begin: [
      { type: 'response.created', response: response('in_progress', []) },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.content_part.added', output_index: 0, content_index: 0, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'The answer is 4' },
    ],
    end: [
      {
        type: 'response.completed',
        response: response('completed', [{ ...item, content: [{ ...part, text: 'The answer is 4' }] }]),
      },
    ],
    mark: [],
  },
};
const SEARCHES: Record<Client, Json> = {
  chat: { web_search_options: {} },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] },
  responses: {},
};

const CLIENTS: Client[] = ['chat', 'messages', 'responses'];
const PROVIDERS: Provider[] = ['openai', 'anthropic', 'responses'];
const PAIRS = CLIENTS.flatMap((client) => PROVIDERS.map((provider) => [client, provider] as const));

function relayFrames(client: Client, provider: Provider, frames: readonly string[]) {
  const searches = provider === 'responses' ? 1 : 0;
  const request = { ...REQUESTS[client], ...(searches > 0 && SEARCHES[client]) };
  const name = { openai: 'generic', anthropic: 'anthropic', responses: 'openai' }[provider];
  const bytes = new TextEncoder().encode(frames.map((frame) => `${frame}\n\n`).join(''));
  return relay(exchange(client, request, { provider: name, searches }), bytes);
}

const AFTER_THE_END = [
  'data: [DONE]',
  'data: [DONE] ',
  'data: [done]',
  'data: "[DONE]"',
  'event: done\ndata: [DONE]',
  'data: bye',
  'data: ping',
  'data: null',
  'data: ""',
  'data: []',
  'data: {"choices":[',
  'event: ping\ndata: ping',
  'event: keepalive\ndata: x',
  'data: {"type":"vendor.note"}',
  'data: {"error":{"message":"late"}}',
  'data: {"object":"error","message":"late","code":500}',
  'event: error\ndata: late',
  'event: error\ndata: {"type":"error","error":{"message":"late"}}',
  'event: error',
  'data: {"type":"response.failed","response":{"error":{"message":"late"}}}',
];

describe.each(PAIRS)('%s from the %s format', (client, provider) => {
  const { begin, end, mark } = STREAMS[provider];

  test('whatever follows the end is ignored', async () => {
    for (const after of AFTER_THE_END) {
      for (const events of [
        [...begin, ...end],
        [...begin, ...end, ...mark],
      ]) {
        const { text, facts } = relayFrames(client, provider, [...events.map(data), after, after]);
        expect(facts, after).toMatchObject({ finished: true, failure: null });
        expect(JSON.stringify(await READERS[client](text)), after).toContain('The answer is 4');
      }
    }
  });

  test.each([
    'data: {"object":"error","message":"engine died","type":"InternalServerError","param":null,"code":500}',
    'data: {"detail":"engine died"}',
    'data: {"message":"engine died"}',
    'data: {"code":500,"msg":"engine died"}',
    'data: {"errors":["engine died"]}',
    'data: [{"error":{"message":"engine died"}}]',
    'data: {"error":"engine died"}',
    'event: error\ndata: {"message":"upstream timeout","code":504}',
    'event: error\ndata: engine died',
    'event: error',
  ])('%j in the middle is a failure, which the official client throws as its error', async (failure) => {
    const prepared = [...begin.map(data), failure, 'data: [DONE]'];
    const { text, facts } = relayFrames(client, provider, prepared);
    expect(facts.failure?.error.code).toBe('upstream_error');
    expect(text).not.toMatch(/message_stop|"stop"|\[DONE\]|response\.completed/);
  });

  test.each([
    'data: ""',
    'data: null',
    'data: true',
    'data: []',
    'data: ping',
    'event: keepalive\ndata: words',
    'event: ping\ndata: ping',
    ': comment',
    'event: ping',
    'data: {}',
    'data: {"type":"ping"}',
    'data:',
    'data: {"type":"vendor.note","a":1}',
    'data: {"choices":null}',
    'data: {"choices":{}}',
  ])('%j in the middle says nothing', async (noise) => {
    const events = [...begin.map(data), noise, ...end.map(data), ...mark.map(data)];
    const { text, facts } = relayFrames(client, provider, [noise, ...events]);
    expect(facts).toMatchObject({ finished: true, failure: null });
    expect(JSON.stringify(await READERS[client](text))).toContain('The answer is 4');
  });

  test.each(['eos', 'STOP', 'constructor', '__proto__'])(
    'the unknown reason %j is a normal end',
    async (name) => {
      const ending = end.map((event) => data(event).replace(/"(stop|end_turn)"/, JSON.stringify(name)));
      const { text, facts } = relayFrames(client, provider, [
        ...begin.map(data),
        ...ending,
        ...mark.map(data),
      ]);
      expect(facts).toMatchObject({ finished: true, failure: null });
      if (client === 'chat') expect(text).toContain('"finish_reason":"stop"');
      expect(text).not.toMatch(/"tool_calls"|"tool_use"/);
      expect(JSON.stringify(await READERS[client](text))).toContain('The answer is 4');
    },
  );

  test('a body that ends before the response said so is a failure', () => {
    const { facts } = relayFrames(client, provider, begin.map(data));
    expect(facts).toMatchObject({ finished: false, failure: { kind: 'unavailable' } });
  });

  test('no end mark of another format, and none after an unreadable event, ends a response', () => {
    const unknown = provider === 'openai' ? ['data: {"delta":"?"}'] : [];
    const { facts } = relayFrames(client, provider, [...begin.map(data), ...unknown, 'data: [DONE]']);
    expect(facts).toMatchObject({ finished: false, failure: { kind: 'unavailable' } });
  });
});

describe('chunks that the official client of the chat format cannot read', () => {
  const relayChunks = (chunks: Json[]) =>
    relayFrames('chat', 'openai', [...chunks.map(data), 'data: [DONE]']);
  const { begin, end } = STREAMS.openai;

  test('usage without choices has them, and other chunks without choices are left out', async () => {
    const { text } = relayChunks([...begin, { ...head, usage: null }, ...end, { ...head, usage }]);
    expect(eventsOf(text).every(({ choices }) => Array.isArray(choices))).toBe(true);
    expect(eventsOf(text)).toHaveLength(4);
    expect((await readWithOpenAi(text)).choices[0]?.message.content).toBe('The answer is 4');
  });

  test('each choice has its delta, or its message', () => {
    const { text } = relayChunks([...begin, { ...head, choices: [{ index: 0, finish_reason: 'length' }] }]);
    expect(eventsOf(text)[2]?.choices).toEqual([{ index: 0, finish_reason: 'length', delta: {} }]);
    const whole = { choices: [{ index: 0, finish_reason: 'length' }], usage };
    const { body } = exchange('chat', CHAT).readWhole(JSON.stringify(whole));
    expect(JSON.parse(body).choices[0].message).toEqual({ role: 'assistant', content: null, refusal: null });
  });

  test('a time of zero is replaced, in a stream and in a whole response', () => {
    const { text } = relayChunks([...begin, ...end].map((event) => ({ ...event, created: 0 })));
    expect(new Set(eventsOf(text).map(({ created }) => created))).toEqual(new Set([1_700_000_000]));
    const { body } = exchange('chat', CHAT).readWhole(
      JSON.stringify({ created: 0, choices: [{ message: { content: 'Hi' } }] }),
    );
    expect(JSON.parse(body).created).toBe(1_700_000_000);
  });
});

describe('calls', () => {
  const piece = (call: Json): Json => chunk({ tool_calls: [call] });
  const named = (index: number | undefined, id: string | undefined, name: string, json: unknown): Json =>
    piece({ index, id, type: 'function', function: { name, arguments: json } });
  const more = (index: number | undefined, json: string): Json =>
    piece({ index, function: { arguments: json } });

  test.each<[string, Json[], [string, Json][]]>([
    [
      'a placeholder before the arguments',
      [named(0, 'c1', 'a', '{}'), more(0, '{"x":1}')],
      [['a', { x: 1 }]],
    ],
    [
      'a placeholder, and arguments in pieces',
      [named(0, 'c', 'a', '{}'), more(0, '{"x":'), more(0, '1}')],
      [['a', { x: 1 }]],
    ],
    ['an object as placeholder', [named(0, 'c', 'a', {}), more(0, '{"x":1}')], [['a', { x: 1 }]]],
    ['null as placeholder', [named(0, 'c', 'a', 'null'), more(0, '{"x":1}')], [['a', { x: 1 }]]],
    ['only a placeholder', [named(0, 'c', 'a', '{}')], [['a', {}]]],
    [
      'a call that is sent twice',
      [named(0, 'c', 'a', '{"x":1}'), named(0, 'c', 'a', '{"x":1}')],
      [['a', { x: 1 }]],
    ],
    [
      'one index, no ids',
      [named(0, undefined, 'a', '{"x":1}'), named(0, undefined, 'b', '{"y":2}')],
      [
        ['a', { x: 1 }],
        ['b', { y: 2 }],
      ],
    ],
    [
      'one index, empty ids',
      [named(0, '', 'a', '{"x":1}'), named(0, '', 'a', '{"y":2}')],
      [
        ['a', { x: 1 }],
        ['a', { y: 2 }],
      ],
    ],
    [
      'no index, one id',
      [named(undefined, 'c', 'a', '{"x":1}'), named(undefined, 'c', 'b', '{"y":2}')],
      [
        ['a', { x: 1 }],
        ['b', { y: 2 }],
      ],
    ],
    [
      'a name on every piece',
      [named(undefined, undefined, 'a', '{"x":'), named(undefined, undefined, 'a', '1}')],
      [['a', { x: 1 }]],
    ],
    ['a new id on every piece', [named(0, 'c1', 'a', '{"x":'), named(0, 'c2', 'a', '1}')], [['a', { x: 1 }]]],
    ['what follows whole arguments', [named(0, 'c', 'a', '{"x":1}'), more(0, '}')], [['a', { x: 1 }]]],
    [
      'one id for two calls',
      [named(0, 'c', 'a', '{"x":1}'), named(1, 'c', 'b', '{"y":2}')],
      [
        ['a', { x: 1 }],
        ['b', { y: 2 }],
      ],
    ],
  ])('%s', async (_, pieces, expected) => {
    const frames = [chunk({ role: 'assistant' }), ...pieces, chunk({}, 'tool_calls')].map(data);
    const chat = await readWithOpenAi(relayFrames('chat', 'openai', frames).text);
    const calls = (chat.choices[0]?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [[call.id, call.function.name, JSON.parse(call.function.arguments)]] : [],
    );
    expect(calls.map(([, ...call]) => call)).toEqual(expected);
    expect(new Set(calls.map(([id]) => id)).size).toBe(expected.length);
    const message = await readWithAnthropic(relayFrames('messages', 'openai', frames).text);
    const blocks = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    expect(blocks.map(({ name, input }) => [name, input])).toEqual(expected);
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(expected.length);
    expect(message.stop_reason).toBe('tool_use');
  });

  test('an id that the history has gets another in the answer, in each format', () => {
    const asked = { id: 'a:0', type: 'function', function: { name: 'f', arguments: '{}' } };
    const history = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [asked] },
      { role: 'tool', tool_call_id: 'a:0', content: 'ok' },
    ];
    const answer = JSON.stringify({ choices: [{ message: { tool_calls: [asked, asked] } }] });
    const idsOf = (format: Client, request: Json, provider = 'generic'): string[] =>
      exchange(format, request, { provider })
        .readWhole(answer)
        .body.match(/"(?:id|call_id)":"a[^"]*"/g) ?? [];
    const chat = idsOf('chat', { ...CHAT, messages: history });
    expect(chat).toEqual(['"id":"a:0_2"', '"id":"a:0_3"']);
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a_0_0ed32d33', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a_0_0ed32d33', content: 'ok' }] },
    ];
    const translated = idsOf('messages', { ...MESSAGES, messages });
    expect(new Set([...translated, '"id":"a_0_0ed32d33"']).size).toBe(3);
  });

  test('repeated and odd ids reach Anthropic as others, in pairs', () => {
    const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
    const messages = [
      { role: 'user', content: 'Hi' },
      ...[0, 1].flatMap(() => [
        { role: 'assistant', content: [call('t'), call('t'), call('functions.a:0')] },
        { role: 'user', content: [result('t'), result('t'), result('functions.a:0')] },
      ]),
    ];
    const { body } = exchange('messages', { ...MESSAGES, messages }, { provider: 'anthropic' });
    const blocks = (body.messages as Json[]).flatMap(({ content }) =>
      Array.isArray(content) ? content : [],
    );
    const calls = blocks.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(calls.slice(0, 2)).toEqual(['t', 't_2']);
    expect(new Set(calls).size).toBe(6);
    expect(calls.every((id) => /^[\w-]{1,64}$/.test(id))).toBe(true);
    expect(blocks.flatMap(({ tool_use_id: id }) => (id === undefined ? [] : [id]))).toEqual(calls);
  });

  test('a cut-off call in a history is sent on as an object with its text, with a warning', () => {
    const cut = '{"path":"/x","text":"abc';
    const called = { id: 'c'.repeat(70), type: 'function', function: { name: 'f', arguments: cut } };
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: called.id, content: 'invalid JSON' },
    ];
    const input = [
      { role: 'user', content: 'Hi' },
      { type: 'function_call', call_id: called.id, name: 'f', arguments: cut },
      { type: 'function_call_output', call_id: called.id, output: 'invalid JSON' },
    ];
    for (const provider of ['generic', 'anthropic', 'openai', 'google', 'mistral']) {
      for (const [format, request] of [
        ['chat', { ...CHAT, messages }],
        ['responses', { model: 'some/model', input }],
      ] as const) {
        const { body, warnings } = exchange(format, request, { provider });
        const sent = JSON.stringify(body);
        expect(sent, provider).toContain('_unparsed');
        expect(warnings.join(), provider).toContain('_unparsed');
        expect(sent, provider).not.toContain('c'.repeat(65));
      }
    }
  });

  test('a call of the responses format that was cut off is incomplete', async () => {
    const frames = [chunk({ role: 'assistant' }), named(0, 'c', 'a', '{"x":'), chunk({}, 'length')].map(data);
    const { status, output } = await readResponse(relayFrames('responses', 'openai', frames).text);
    expect([status, output.map((item) => 'status' in item && item.status)]).toEqual([
      'incomplete',
      ['incomplete'],
    ]);
  });
});

describe('messages that the official client cannot read', () => {
  test.each([null, '', {}, 'x', [{ type: 'text', text: 'early' }]])(
    'content %j at the start',
    async (content) => {
      const { begin, end, mark } = STREAMS.anthropic;
      const start = {
        type: 'message_start',
        message: { content, usage: { input_tokens: 20, output_tokens: 1 } },
      };
      const frames = [start, ...begin.slice(1), ...end, ...mark].map(data);
      const message = await readWithAnthropic(relayFrames('messages', 'anthropic', frames).text);
      expect(message.content).toEqual([{ type: 'text', text: 'The answer is 4' }]);
    },
  );

  test('no start, and arguments without a call', async () => {
    const { begin, end, mark } = STREAMS.anthropic;
    const odd = {
      type: 'content_block_delta',
      index: 7,
      delta: { type: 'input_json_delta', partial_json: '{' },
    };
    const frames = [odd, ...begin.slice(1), odd, ...end, ...mark].map(data);
    const message = await readWithAnthropic(relayFrames('messages', 'anthropic', frames).text);
    expect(message.content).toEqual([{ type: 'text', text: 'The answer is 4' }]);
  });

  test('input as text is read', () => {
    const whole = {
      content: [{ type: 'tool_use', id: 't', name: 'f', input: '{"x":1}' }],
      stop_reason: 'tool_use',
    };
    const { body } = exchange('chat', CHAT, { provider: 'anthropic' }).readWhole(JSON.stringify(whole));
    expect(JSON.parse(body).choices[0].message.tool_calls[0].function.arguments).toBe('{"x":1}');
  });
});
