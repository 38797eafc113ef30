import type { Json } from '@/server/gateway/protocols/neutral';

/** Streams with the oddities of real providers, reduced to what is odd. Written by hand. */

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'upstream-model' };

export function chunk(delta: Json, finishReason: string | null = null, more: Json = {}): Json {
  return { ...head, choices: [{ index: 0, delta, finish_reason: finishReason }], ...more };
}

const piece = (call: Json): Json => chunk({ tool_calls: [call] });
const usage = (prompt: number, completion: number, more: Json = {}): Json => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
});

export type ChatFixture = {
  provider: string;
  events: (Json | string)[];
  done?: boolean;
  text?: string;
  reasoning?: string;
  calls?: [string, Json][];
  stop: string;
  usage: number[];
};

/** Of the OpenAI format. `usage`: input, cache read, cache write, output, reasoning. */
export const CHAT_FIXTURES: Record<string, ChatFixture> = {
  'OpenAI: role chunk, obfuscation, usage chunk apart': {
    provider: 'openai',
    events: [
      chunk({ role: 'assistant', content: '', refusal: null }, null, {
        usage: null,
        obfuscation: 'x',
      }),
      chunk({ content: 'Hi 🌍' }, null, { usage: null }),
      chunk({}, 'stop', { usage: null }),
      {
        ...head,
        choices: [],
        usage: usage(100, 5, { prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 } }),
      },
    ],
    done: true,
    text: 'Hi 🌍',
    stop: 'stop',
    usage: [50, 20, 30, 5, 0],
  },
  'Azure: a first chunk with neither choice nor id': {
    provider: 'generic',
    events: [
      {
        choices: [],
        created: 0,
        id: '',
        model: '',
        object: '',
        prompt_filter_results: [],
      },
      chunk({ role: 'assistant', content: 'Hi' }),
      chunk({}, 'stop'),
      { ...head, choices: [], usage: usage(3, 1) },
    ],
    done: true,
    text: 'Hi',
    stop: 'stop',
    usage: [3, 0, 0, 1, 0],
  },
  'xAI: no role, no finish_reason key, reasoning outside the completion': {
    provider: 'xai',
    events: [
      { ...head, choices: [{ index: 0, delta: { reasoning_content: 'Hm' } }] },
      { ...head, choices: [{ index: 0, delta: { content: 'Hi' } }] },
      chunk({}, 'stop'),
      {
        ...head,
        choices: [],
        usage: {
          prompt_tokens: 12,
          completion_tokens: 1,
          total_tokens: 303,
          completion_tokens_details: { reasoning_tokens: 290 },
        },
      },
    ],
    done: true,
    text: 'Hi',
    reasoning: 'Hm',
    stop: 'stop',
    usage: [12, 0, 0, 291, 290],
  },
  'Mistral: calls without index and type, with finish and usage in one chunk': {
    provider: 'mistral',
    events: [
      chunk({ role: 'assistant', content: '' }),
      chunk(
        {
          tool_calls: [
            { id: 'aaaaaaaaa', function: { name: 'one', arguments: '{"a":1}' } },
            { id: 'bbbbbbbbb', function: { name: 'two', arguments: '{}' } },
          ],
        },
        'tool_calls',
        { usage: usage(7, 4) },
      ),
    ],
    done: true,
    calls: [
      ['one', { a: 1 }],
      ['two', {}],
    ],
    stop: 'tool_calls',
    usage: [7, 0, 0, 4, 0],
  },
  'Mistral: a call continues with an empty name and no id': {
    provider: 'mistral',
    events: [
      chunk({
        content: '',
        tool_calls: [
          {
            id: 'ccccccccc',
            type: 'function',
            index: 0,
            function: { name: 'search', arguments: '' },
          },
        ],
      }),
      piece({
        type: 'function',
        index: 0,
        function: { name: '', arguments: '{"q":"x"}' },
      }),
      chunk({ content: '' }, 'tool_calls', {
        usage: usage(171, 14, { prompt_tokens_details: { cached_tokens: 128 } }),
      }),
    ],
    done: true,
    calls: [['search', { q: 'x' }]],
    stop: 'tool_calls',
    usage: [43, 128, 0, 14, 0],
  },
  'Mistral: content as an array of thinking and text': {
    provider: 'mistral',
    events: [
      chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Hi' }] }),
      chunk({ content: '' }, 'stop', { usage: usage(1, 2) }),
    ],
    done: true,
    text: 'Hi',
    reasoning: 'Hm',
    stop: 'stop',
    usage: [1, 0, 0, 2, 0],
  },
  'Moonshot: last text and finish in one chunk, no [DONE]': {
    provider: 'moonshot',
    events: [
      chunk({ role: 'assistant', reasoning_content: 'Hm' }),
      chunk({ content: 'Hi' }),
      chunk({ content: '!' }, 'stop', {
        usage: usage(9, 12, { completion_tokens_details: { reasoning_tokens: 7 } }),
      }),
    ],
    text: 'Hi!',
    reasoning: 'Hm',
    stop: 'stop',
    usage: [9, 0, 0, 12, 7],
  },
  'Moonshot, older: usage inside the choice': {
    provider: 'moonshot',
    events: [
      chunk({ role: 'assistant', content: 'Hi' }),
      {
        ...head,
        choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: usage(9, 2, { cached_tokens: 4 }) }],
      },
    ],
    done: true,
    text: 'Hi',
    stop: 'stop',
    usage: [5, 4, 0, 2, 0],
  },
  'DeepSeek: null reasoning, usage in the finish chunk, cache hits under their own name': {
    provider: 'deepseek',
    events: [
      chunk({ role: 'assistant', content: null, reasoning_content: 'Hm' }),
      chunk({ content: 'Hi', reasoning_content: null }),
      chunk({ content: '', reasoning_content: null }, 'stop', {
        usage: usage(339, 83, { prompt_cache_hit_tokens: 320, prompt_cache_miss_tokens: 19 }),
      }),
    ],
    done: true,
    text: 'Hi',
    reasoning: 'Hm',
    stop: 'stop',
    usage: [19, 320, 0, 83, 0],
  },
  'Groq: the same usage twice': {
    provider: 'groq',
    events: [
      chunk({ role: 'assistant', content: null }, null, { x_groq: { id: 'req_1' } }),
      chunk({ content: 'Hi' }),
      chunk({}, 'stop', { x_groq: { id: 'req_1', usage: usage(210, 15) }, usage: usage(210, 15) }),
    ],
    done: true,
    text: 'Hi',
    stop: 'stop',
    usage: [210, 0, 0, 15, 0],
  },
  'Groq: usage in x_groq only': {
    provider: 'groq',
    events: [
      chunk({ role: 'assistant', content: 'Hi' }),
      chunk({}, 'stop', { x_groq: { usage: usage(21, 1) } }),
    ],
    done: true,
    text: 'Hi',
    stop: 'stop',
    usage: [21, 0, 0, 1, 0],
  },
  'Google: the total shows thinking that nothing else counts': {
    provider: 'google',
    events: [
      chunk({ role: 'assistant', content: 'Hi' }),
      chunk({}, 'stop', { usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 40 } }),
    ],
    done: true,
    text: 'Hi',
    stop: 'stop',
    usage: [10, 0, 0, 30, 28],
  },
  'choices without an index': {
    provider: 'generic',
    events: [
      { ...head, choices: [{ delta: { role: 'assistant', content: 'H' }, finish_reason: null }] },
      { ...head, choices: [{ delta: { content: 'i' }, finish_reason: 'stop' }], usage: usage(5, 2) },
    ],
    text: 'Hi',
    stop: 'stop',
    usage: [5, 0, 0, 2, 0],
  },
  'vLLM: cumulative usage and a finish reason on every chunk': {
    provider: 'generic',
    events: [
      chunk({ role: 'assistant', content: 'H' }, 'stop', { usage: usage(5, 1) }),
      chunk({ content: 'i' }, 'stop', { usage: usage(5, 2) }),
    ],
    done: true,
    text: 'Hi',
    stop: 'stop',
    usage: [5, 0, 0, 2, 0],
  },
  'everything in one chunk': {
    provider: 'generic',
    events: [
      chunk(
        {
          role: 'assistant',
          reasoning_content: 'Hm',
          content: 'Hi',
          tool_calls: [
            { index: 0, id: 'call_1', type: 'function', function: { name: 'one', arguments: '{"a":1}' } },
          ],
        },
        'stop',
        { usage: usage(1, 1) },
      ),
    ],
    done: true,
    text: 'Hi',
    reasoning: 'Hm',
    calls: [['one', { a: 1 }]],
    stop: 'tool_calls',
    usage: [1, 0, 0, 1, 0],
  },
  'arguments before the name, an object for arguments, a null': {
    provider: 'generic',
    events: [
      chunk({
        role: 'assistant',
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { arguments: '{"a"' } }],
      }),
      piece({ index: 0, function: { name: 'one', arguments: ':1}' } }),
      piece({ index: 1, id: 'call_2', type: 'function', function: { name: 'two', arguments: { b: 2 } } }),
      piece({ index: 1, function: { arguments: null } }),
      chunk({}, 'tool_calls'),
      { ...head, choices: [], usage: usage(1, 1) },
    ],
    done: true,
    calls: [
      ['one', { a: 1 }],
      ['two', { b: 2 }],
    ],
    stop: 'tool_calls',
    usage: [1, 0, 0, 1, 0],
  },
  'one index for two calls': {
    provider: 'generic',
    events: [
      chunk({
        role: 'assistant',
        tool_calls: [
          { index: 0, id: 'call_1', type: 'function', function: { name: 'one', arguments: '{"a":1}' } },
        ],
      }),
      piece({ index: 0, id: 'call_2', type: 'function', function: { name: 'two', arguments: '{"b"' } }),
      piece({ index: 0, function: { arguments: ':2}' } }),
      chunk({}, 'tool_calls'),
      { ...head, choices: [], usage: usage(1, 1) },
    ],
    done: true,
    calls: [
      ['one', { a: 1 }],
      ['two', { b: 2 }],
    ],
    stop: 'tool_calls',
    usage: [1, 0, 0, 1, 0],
  },
  'indexes that begin at 1': {
    provider: 'generic',
    events: [
      chunk({
        role: 'assistant',
        content: 'Wait',
        tool_calls: [
          {
            index: 1,
            id: 'call_1',
            type: 'function',
            function: { name: 'one', arguments: '' },
          },
        ],
      }),
      piece({ index: 1, function: { arguments: '{"a":1}' } }),
      chunk({}, 'tool_calls'),
      { ...head, choices: [], usage: usage(1, 1) },
    ],
    done: true,
    text: 'Wait',
    calls: [['one', { a: 1 }]],
    stop: 'tool_calls',
    usage: [1, 0, 0, 1, 0],
  },
  'two calls in turns, the id repeated on every piece': {
    provider: 'generic',
    events: [
      chunk({
        role: 'assistant',
        tool_calls: [
          { index: 0, id: 'call_1', type: 'function', function: { name: 'one', arguments: '{"a"' } },
        ],
      }),
      piece({ index: 1, id: 'call_2', type: 'function', function: { name: 'two', arguments: '{"b"' } }),
      piece({ index: 0, id: 'call_1', function: { arguments: ':1}' } }),
      piece({ index: 1, id: 'call_2', function: { arguments: ':2}' } }),
      chunk({}, 'tool_calls'),
      { ...head, choices: [], usage: usage(1, 1) },
    ],
    done: true,
    calls: [
      ['one', { a: 1 }],
      ['two', { b: 2 }],
    ],
    stop: 'tool_calls',
    usage: [1, 0, 0, 1, 0],
  },
};

const start = (usageAtStart: Json | null = { input_tokens: 43, output_tokens: 1 }): Json => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'upstream-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(usageAtStart !== null && { usage: usageAtStart }),
  },
});
const open = (index: number, block: Json): Json => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const delta = (index: number, body: Json): Json => ({ type: 'content_block_delta', index, delta: body });
const stop = (index: number): Json => ({ type: 'content_block_stop', index });
const end = (reason: string, usageAtEnd: Json | null = { output_tokens: 2 }, more: Json = {}): Json => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null, ...more },
  ...(usageAtEnd !== null && { usage: usageAtEnd }),
});
const STOP: Json = { type: 'message_stop' };
const text = (index: number, ...pieces: string[]): Json[] => [
  open(index, { type: 'text', text: '' }),
  ...pieces.map((value) => delta(index, { type: 'text_delta', text: value })),
  stop(index),
];

export type MessagesFixture = {
  events: Json[];
  text?: string;
  reasoning?: string;
  calls?: [string, Json][];
  stop: string;
  usage: number[];
};

/** Of the Anthropic format. `usage`: input, cache read, cache write 5 m, cache write 1 h, output. */
export const MESSAGES_FIXTURES: Record<string, MessagesFixture> = {
  'plain: pings anywhere, between blocks too': {
    events: [
      start({
        input_tokens: 3,
        cache_creation_input_tokens: 12,
        cache_read_input_tokens: 5,
        cache_creation: { ephemeral_5m_input_tokens: 8, ephemeral_1h_input_tokens: 4 },
        output_tokens: 1,
      }),
      { type: 'ping' },
      ...text(0, 'Hi ', '🌍'),
      { type: 'ping' },
      end('end_turn'),
      STOP,
    ],
    text: 'Hi 🌍',
    stop: 'end_turn',
    usage: [3, 5, 8, 4, 2],
  },
  'input that differs at the end': {
    events: [start(), ...text(0, 'pong'), end('end_turn', { input_tokens: 61, output_tokens: 2 }), STOP],
    text: 'pong',
    stop: 'end_turn',
    usage: [61, 0, 0, 0, 2],
  },
  'blocks without numbers': {
    events: [start(), ...text(0, 'Hi '), ...text(2, 'there'), end('end_turn', { output_tokens: 2 }), STOP],
    text: 'Hi there',
    stop: 'end_turn',
    usage: [43, 0, 0, 0, 2],
  },
  'a block that was never opened': {
    events: [start(), ...text(0, 'Hi ', 'there').slice(1), end('end_turn', { output_tokens: 2 }), STOP],
    text: 'Hi there',
    stop: 'end_turn',
    usage: [43, 0, 0, 0, 2],
  },
  'two message_delta: cumulative, never added': {
    events: [
      start(),
      ...text(0, 'Hi'),
      end('end_turn', { output_tokens: 2 }),
      end('end_turn', { output_tokens: 3 }),
      STOP,
    ],
    text: 'Hi',
    stop: 'end_turn',
    usage: [43, 0, 0, 0, 3],
  },
  'compaction next to the message': {
    events: [
      start({ input_tokens: 60_385, output_tokens: 1 }),
      ...text(0, 'Hi'),
      end('end_turn', {
        input_tokens: 612,
        output_tokens: 2_819,
        iterations: [
          { type: 'compaction', input_tokens: 60_385, output_tokens: 522 },
          { type: 'message', input_tokens: 612, output_tokens: 2_819 },
        ],
      }),
      STOP,
    ],
    text: 'Hi',
    stop: 'end_turn',
    usage: [60_997, 0, 0, 0, 3_341],
  },
  'a fallback block': {
    events: [
      start(),
      open(0, { type: 'fallback', from: 'a', to: 'b' }),
      stop(0),
      ...text(1, 'Hi'),
      end('end_turn', { input_tokens: 412, output_tokens: 2 }),
      STOP,
    ],
    text: 'Hi',
    stop: 'end_turn',
    usage: [412, 0, 0, 0, 2],
  },
  'a refusal without any block': {
    events: [
      start({ input_tokens: 18, output_tokens: 1 }),
      { type: 'ping' },
      end(
        'refusal',
        { input_tokens: 18, output_tokens: 5 },
        { stop_details: { type: 'refusal', category: 'cyber', explanation: 'Blocked.' } },
      ),
      STOP,
    ],
    stop: 'refusal',
    usage: [18, 0, 0, 0, 5],
  },
  'a tool without arguments': {
    events: [
      start(),
      open(0, { type: 'tool_use', id: 'toolu_1', name: 'update', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '' }),
      stop(0),
      end('tool_use'),
      STOP,
    ],
    calls: [['update', {}]],
    stop: 'tool_use',
    usage: [43, 0, 0, 0, 2],
  },
  'a repeated message_start': {
    events: [start(), start(), ...text(0, 'Hi'), end('end_turn'), STOP],
    text: 'Hi',
    stop: 'end_turn',
    usage: [43, 0, 0, 0, 2],
  },
  'a second message_start in the middle, indexes from 0 again': {
    events: [start(), ...text(0, 'Hel'), start(), ...text(0, 'lo'), end('end_turn'), STOP],
    text: 'Hello',
    stop: 'end_turn',
    usage: [43, 0, 0, 0, 2],
  },
  'thinking with its signature, and redacted thinking': {
    events: [
      start(),
      open(0, {
        type: 'thinking',
        thinking: '',
        signature: '',
      }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'EvQB+/=' }),
      stop(0),
      open(1, { type: 'redacted_thinking', data: 'opaque' }),
      stop(1),
      ...text(2, 'Hi'),
      end('end_turn', { output_tokens: 9, output_tokens_details: { thinking_tokens: 7 } }),
      STOP,
    ],
    text: 'Hi',
    reasoning: 'Hm',
    stop: 'end_turn',
    usage: [43, 0, 0, 0, 9],
  },
  'no message_stop after the stop reason': {
    events: [start(), ...text(0, 'Hi'), end('max_tokens')],
    text: 'Hi',
    stop: 'max_tokens',
    usage: [43, 0, 0, 0, 2],
  },
  'a context window that is full': {
    events: [start(), ...text(0, 'Hi'), end('model_context_window_exceeded'), STOP],
    text: 'Hi',
    stop: 'model_context_window_exceeded',
    usage: [43, 0, 0, 0, 2],
  },
};
