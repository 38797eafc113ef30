import type { Json } from '@/server/gateway/protocols/neutral';
import { asArray } from '@/server/gateway/protocols/read-fields';

/** Generates what careless providers send: a good response with faults in any place, and the same for every seed. */

export type ProviderFormat = 'openai' | 'anthropic' | 'responses';
export type Careless = { format: ProviderFormat; body: string; isStream: boolean };

const ODD: unknown[] = [
  null,
  '',
  0,
  -1,
  1.5,
  false,
  true,
  [],
  {},
  'x',
  'null',
  '{}',
  [null],
  [{}],
  { a: 1 },
  1e21,
];
const NOISE = [
  ': comment',
  'event: ping',
  'event: ping\ndata: {}',
  'data: {"type":"ping"}',
  'data: {}',
  'data: null',
  'data: ping',
  'data: ""',
  'data: []',
  'data: true',
  'id: 7',
  'retry: 10',
  'event: keepalive\ndata: x',
  'data: {"type":"vendor.note","a":1}',
  'data: {"choices":[]}',
  'data: {"usage":null}',
];
const ENDS = [
  'data: [DONE]',
  'data: [DONE] ',
  'event: done\ndata: [DONE]',
  'data: "[DONE]"',
  'data: bye',
  'data: {"error":{"message":"late"}}',
  'data: {"object":"error","message":"late","code":500}',
  'event: error\ndata: late',
  'data: {"type":"x","message":"late"}',
];
const FAILURES = [
  'data: {"object":"error","message":"engine died","code":500}',
  'data: {"detail":"engine died"}',
  'event: error\ndata: {"message":"upstream timeout","code":504}',
  'event: error\ndata: engine died',
  'data: {"error":"engine died"}',
  'data: {"error":{"message":"engine died"}}',
  'data: {"message":"engine died","code":500}',
];

export class Dice {
  constructor(private readonly random: () => number) {}
  below = (count: number): number => Math.floor(this.random() * count);
  isOneIn = (count: number): boolean => this.below(count) === 0;
  pick = <T>(values: readonly T[]): T => values[this.below(values.length)] as T;
}

export function careless(dice: Dice, format: ProviderFormat, isStream: boolean): Careless {
  if (!isStream) {
    const body = structuredClone(WHOLE[format](dice));
    for (let count = dice.below(4); count > 0; count--) spoil(body, dice);
    return { format, isStream, body: dice.isOneIn(12) ? JSON.stringify([body]) : JSON.stringify(body) };
  }
  const events = structuredClone(STREAMS[format](dice));
  for (let count = dice.below(4); count > 0; count--) spoil(dice.pick(events), dice);
  disarrange(events, dice);
  const frames = events.map((event) => frame(event, dice));
  if (format === 'openai' && !dice.isOneIn(4)) frames.push('data: [DONE]');
  for (let count = dice.below(3); count > 0; count--)
    frames.splice(dice.below(frames.length + 1), 0, dice.pick(NOISE));
  if (dice.isOneIn(8)) frames.splice(dice.below(frames.length + 1), 0, dice.pick(FAILURES));
  if (dice.isOneIn(3)) frames.push(dice.pick(ENDS));
  return { format, isStream, body: frames.map((text) => `${text}\n\n`).join('') };
}

const frame = (event: Json, dice: Dice): string => {
  const name = typeof event.type === 'string' && !dice.isOneIn(6) ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}`;
};

/** Removes, empties or replaces one field at any depth. */
function spoil(value: unknown, dice: Dice): void {
  if (typeof value !== 'object' || value === null) return;
  const names = Object.keys(value);
  if (names.length === 0) return;
  const name = dice.pick(names) as keyof typeof value;
  const inner = value[name] as unknown;
  if (typeof inner === 'object' && inner !== null && !dice.isOneIn(3)) return spoil(inner, dice);
  if (dice.isOneIn(3) && !Array.isArray(value)) Reflect.deleteProperty(value, name);
  else Object.assign(value, { [name]: structuredClone(dice.pick(ODD)) });
}

function disarrange(events: Json[], dice: Dice): void {
  const at = dice.below(events.length);
  const kind = dice.below(10);
  if (kind === 0) events.splice(at, 1);
  else if (kind === 1) events.splice(at, 0, structuredClone(events[at] as Json));
  else if (kind === 2) events.splice(dice.below(events.length), 0, ...events.splice(at, 1));
  else if (kind === 3) events.length = at + 1;
}

const ARGUMENTS = [
  '{"x":1}',
  '{"x":"a \\"b\\" c"}',
  '{}',
  '',
  '{"x":',
  '{}{"x":1}',
  '{"x":1}{"x":1}',
  "{'x':1}",
  'abc',
  'null',
  '[1]',
  '{"x":NaN}',
  '{"x":1}}',
  '{"text":"a\nb"}',
];

const textOf = (dice: Dice) => dice.pick(['Hello', 'Hi 🌍', 'The answer is 4']);

const CHAT_USAGE = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};
const LOGPROBS = {
  content: [{ token: 'a', logprob: -1, bytes: [1], top_logprobs: [{ token: 'a', logprob: -1 }] }],
};

function chatStream(dice: Dice): Json[] {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}): Json => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason, ...more }],
  });
  const text = textOf(dice);
  const calls = dice.below(3);
  const pieces = Array.from({ length: calls }, (_, place) => {
    const index = dice.isOneIn(3) ? 0 : place;
    const id = dice.isOneIn(3) ? 'c1' : `c${place}`;
    const json = dice.pick(ARGUMENTS);
    const middle = dice.below(json.length + 1);
    return [
      chunk({
        tool_calls: [
          { index, id, type: 'function', function: { name: `f${place}`, arguments: json.slice(0, middle) } },
        ],
      }),
      chunk({ tool_calls: [{ index, function: { arguments: json.slice(middle) } }] }),
    ];
  }).flat();
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...(dice.isOneIn(3) ? [chunk({ reasoning_content: 'Hm' })] : []),
    chunk(
      { content: text.slice(0, 2) },
      null,
      dice.isOneIn(3) ? { logprobs: structuredClone(LOGPROBS) } : {},
    ),
    chunk({ content: text.slice(2), annotations: [CITATION] }),
    ...pieces,
    chunk({}, calls > 0 ? 'tool_calls' : 'stop'),
    { ...head, choices: [], usage: CHAT_USAGE },
  ];
}
const CITATION = {
  type: 'url_citation',
  url_citation: { start_index: 0, end_index: 2, url: 'https://a.example', title: 'A' },
};

function chatWhole(dice: Dice): Json {
  const calls = Array.from({ length: dice.below(3) }, (_, place) => ({
    id: dice.isOneIn(3) ? 'c1' : `c${place}`,
    type: 'function',
    function: { name: `f${place}`, arguments: dice.pick(ARGUMENTS) },
  }));
  const message = {
    role: 'assistant',
    content: textOf(dice),
    refusal: null,
    annotations: [CITATION],
    reasoning_content: 'Hm',
  };
  const choice = {
    index: 0,
    message: calls.length > 0 ? { ...message, tool_calls: calls } : message,
    logprobs: LOGPROBS,
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
  };
  return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage: CHAT_USAGE };
}

const MESSAGE_USAGE = {
  input_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 10,
};

function blocksOf(dice: Dice): Json[] {
  return [
    ...(dice.isOneIn(3) ? [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }] : []),
    { type: 'text', text: textOf(dice) },
    ...Array.from({ length: dice.below(3) }, (_, place) => ({
      type: 'tool_use',
      id: dice.isOneIn(3) ? 't1' : `t${place}`,
      name: `f${place}`,
      input: dice.isOneIn(4) ? {} : { x: place },
    })),
  ];
}

const messageWhole = (dice: Dice): Json => {
  const content = blocksOf(dice);
  const hasCalls = content.some(({ type }) => type === 'tool_use');
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: hasCalls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: MESSAGE_USAGE,
  };
};

function messageStream(dice: Dice): Json[] {
  const { content, stop_reason, ...message } = messageWhole(dice);
  const blocks = (content as Json[]).flatMap((block, index): Json[] => {
    const at = { type: 'content_block_delta', index };
    const json = dice.isOneIn(3) ? dice.pick(ARGUMENTS) : JSON.stringify(block.input);
    const deltas = {
      text: [{ ...at, delta: { type: 'text_delta', text: block.text } }],
      thinking: [
        { ...at, delta: { type: 'thinking_delta', thinking: block.thinking } },
        { ...at, delta: { type: 'signature_delta', signature: 'sig' } },
      ],
      tool_use: [{ ...at, delta: { type: 'input_json_delta', partial_json: json } }],
    }[String(block.type)];
    const empty = { text: { text: '' }, thinking: { thinking: '', signature: '' }, tool_use: { input: {} } }[
      String(block.type)
    ];
    return [
      { type: 'content_block_start', index, content_block: { ...block, ...empty } },
      ...(deltas ?? []),
      { type: 'content_block_stop', index },
    ];
  });
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'ping' },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ];
}

const RESPONSE_USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 30,
};

const RESPONSE_CITATION = {
  type: 'url_citation',
  start_index: 0,
  end_index: 2,
  url: 'https://example.com/',
  title: 'Example',
};
const ACTIONS = [
  {
    type: 'search',
    query: 'weather',
    queries: ['weather'],
    sources: [{ type: 'url', url: 'https://example.com/' }],
  },
  { type: 'open_page', url: 'https://example.com/' },
  { type: 'find_in_page', url: 'https://example.com/', pattern: 'sun' },
];
const EXTENSIONS = ['image_generation_call', 'mcp_call', 'vendor_note', 'constructor'];

function responseWhole(dice: Dice): Json {
  const annotations = dice.isOneIn(2) ? [RESPONSE_CITATION] : [];
  const logprobs = dice.isOneIn(3) ? LOGPROBS.content : [];
  const part = { type: 'output_text', text: textOf(dice), annotations, logprobs };
  const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: dice.pick(ACTIONS) };
  const calls = Array.from({ length: dice.below(3) }, (_, place) => ({
    id: `fc_${place}`,
    type: 'function_call',
    status: 'completed',
    call_id: dice.isOneIn(3) ? 'c1' : `c${place}`,
    name: `f${place}`,
    arguments: dice.pick(ARGUMENTS),
  }));
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: RESPONSE_USAGE,
    output: [
      ...(dice.isOneIn(3)
        ? [{ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }]
        : []),
      ...(dice.isOneIn(3) ? [search] : []),
      ...(dice.isOneIn(8) ? [{ id: 'x_1', type: dice.pick(EXTENSIONS) }] : []),
      { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] },
      ...calls,
    ],
  };
}

function responseStream(dice: Dice): Json[] {
  const whole = responseWhole(dice);
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  const items = (whole.output as Json[]).flatMap((item, output_index): Json[] => {
    const at = { item_id: item.id, output_index };
    const [part] = (item.content ?? []) as Json[];
    const written: Json[] =
      item.type === 'function_call'
        ? [
            { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
            {
              type: 'response.function_call_arguments.done',
              ...at,
              name: item.name,
              arguments: item.arguments,
            },
          ]
        : part === undefined
          ? []
          : [
              { type: 'response.content_part.added', ...at, content_index: 0, part: { ...part, text: '' } },
              { type: 'response.output_text.delta', ...at, content_index: 0, delta: part.text, logprobs: [] },
              ...asArray(part.annotations).map((annotation, annotation_index) => ({
                type: 'response.output_text.annotation.added',
                ...at,
                content_index: 0,
                annotation,
                annotation_index,
              })),
              { type: 'response.output_text.done', ...at, content_index: 0, text: part.text, logprobs: [] },
              { type: 'response.content_part.done', ...at, content_index: 0, part },
            ];
    const empty =
      item.type === 'message' ? { content: [] } : item.type === 'function_call' ? { arguments: '' } : {};
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', ...empty },
      },
      ...written,
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items,
    { type: 'response.completed', response: whole },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

const STREAMS = { openai: chatStream, anthropic: messageStream, responses: responseStream };
const WHOLE = { openai: chatWhole, anthropic: messageWhole, responses: responseWhole };
