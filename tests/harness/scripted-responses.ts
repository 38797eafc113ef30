import type { Json } from '@/server/protocols/neutral';
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
