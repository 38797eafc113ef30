import type { Json } from '@/server/gateway/protocols/neutral';
import type { Reply } from './scripted-upstream';

/** Provider responses for a scripted upstream. */

const CHAT_USAGE = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
const MESSAGE_USAGE = { input_tokens: 20, output_tokens: 10 };

export function completion(message: Json, finishReason = 'stop'): Reply {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: null, ...message },
    finish_reason: finishReason,
  };
  return {
    body: {
      id: 'chatcmpl-up',
      object: 'chat.completion',
      created: 1,
      model: 'up',
      choices: [choice],
      usage: CHAT_USAGE,
    },
  };
}

export function completionStream(deltas: Json[], finishReason = 'stop'): Reply {
  const head = { id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1, model: 'up' };
  const chunk = (delta: Json, reason: string | null): Json => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return {
    events: [
      chunk({ role: 'assistant', content: '' }, null),
      ...deltas.map((delta) => chunk(delta, null)),
      chunk({}, finishReason),
      { ...head, choices: [], usage: CHAT_USAGE },
      'data: [DONE]',
    ],
  };
}

export function message(content: Json[], stopReason = 'end_turn', more: Json = {}): Reply {
  return { body: { ...emptyMessage(), content, stop_reason: stopReason, usage: MESSAGE_USAGE, ...more } };
}

/** Streams each block in two deltas, with a ping before each block. */
export function messageStream(content: Json[], stopReason = 'end_turn', more: Json = {}): Reply {
  return {
    events: [
      {
        type: 'message_start',
        message: { ...emptyMessage(), usage: { input_tokens: 20, output_tokens: 1 } },
      },
      ...content.flatMap((block, index) => [{ type: 'ping' }, ...blockEvents(block, index)]),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null, ...more },
        usage: { output_tokens: 10 },
      },
      { type: 'message_stop' },
    ],
  };
}

function emptyMessage(): Json {
  return {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function blockEvents(block: Json, index: number): Json[] {
  return [
    { type: 'content_block_start', index, content_block: openBlock(block) },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function openBlock(block: Json): Json {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function deltasOf(block: Json): Json[] {
  if (block.type === 'text') return halves(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'tool_use') {
    return halves(JSON.stringify(block.input)).map((partial_json) => ({
      type: 'input_json_delta',
      partial_json,
    }));
  }
  if (block.type !== 'thinking') return [];
  return [
    ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block.signature },
  ];
}

function halves(text: unknown): string[] {
  const whole = String(text);
  const middle = Math.ceil(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)].filter((half) => half !== '');
}

const RESPONSE_USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 30,
};

/** A response in OpenAI's responses format; an item needs its type and content only. */
export function response(items: Json[], more: Json = {}): Reply {
  return { body: wholeResponse(items, more) };
}

let responses = 0;

function wholeResponse(items: Json[], more: Json = {}): Json {
  const id = `up${++responses}`;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'up',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    store: false,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    safety_identifier: 'hash-of-the-user',
    usage: RESPONSE_USAGE,
    output: items.map((item, index) => ({ id: `item_${id}_${index}`, status: 'completed', ...item })),
    ...more,
  };
}

/** Streams each item as its beginning and its end, and text in one delta. */
export function responseStream(items: Json[], more: Json = {}): Reply {
  const whole = wholeResponse(items, more);
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...(whole.output as Json[]).flatMap(itemEvents),
    { type: `response.${whole.status}`, response: whole },
  ];
  return { events: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
}

function itemEvents(item: Json, output_index: number): (Json & { type: string })[] {
  const [part] = (item.content ?? []) as Json[];
  const at = { item_id: item.id, output_index };
  const text = { ...at, content_index: 0 };
  const written =
    item.type === 'function_call'
      ? [
          { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
          { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
        ]
      : part === undefined
        ? []
        : [
            { type: 'response.content_part.added', ...text, part: { ...part, text: '' } },
            { type: 'response.output_text.delta', ...text, delta: part.text, logprobs: [] },
            { type: 'response.output_text.done', ...text, text: part.text, logprobs: [] },
            { type: 'response.content_part.done', ...text, part },
          ];
  const empty = { ...item, status: 'in_progress', ...(part && { content: [] }) };
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    ...written,
    { type: 'response.output_item.done', output_index, item },
  ];
}
