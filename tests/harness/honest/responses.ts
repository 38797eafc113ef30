import type { Json } from '@/server/gateway/protocols/neutral';
import type { TokenBill, Vendor } from './bill';

/** Responses of each vendor, with the usage as that vendor reports it. */

type Produced = {
  tokens: TokenBill;
  reasoning: number;
  visible: number;
  searches: number;
  exact: bigint;
  body: Json;
};

/** One token of the public encoding each. */
const textOf = ({ visible }: Produced): string => ' word'.repeat(visible);

function chatUsage(vendor: Vendor, { tokens, reasoning, searches, exact }: Produced): Json {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = tokens;
  const prompt = input + cacheRead + cacheWrite5m + cacheWrite1h;
  const isOutside = vendor === 'xai' || vendor === 'google';
  const usage: Json = {
    prompt_tokens: prompt,
    completion_tokens: isOutside ? output - reasoning : output,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      ...(cacheWrite5m > 0 && { cache_write_tokens: cacheWrite5m }),
    },
    ...(vendor !== 'google' && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
  if (vendor === 'openrouter') usage.cost = Number(exact) / 1e14;
  if (searches > 0) usage.server_tool_use_details = { web_search_requests: searches };
  // A tick is 10⁻¹⁰ dollars. The vendor rounds its own bill to ticks.
  if (vendor === 'xai') usage.cost_in_usd_ticks = Number((exact + 9_999n) / 10_000n);
  return usage;
}

export function writeCompletion(vendor: Vendor, produced: Produced): Json {
  const choice = (index: number) => ({
    index,
    message: { role: 'assistant', content: textOf(produced) },
    finish_reason: 'stop',
  });
  return {
    id: 'chatcmpl-honest',
    object: 'chat.completion',
    created: 1,
    model: produced.body.model,
    choices: Array.from({ length: Number(produced.body.n ?? 1) }, (_, index) => choice(index)),
    usage: chatUsage(vendor, produced),
  };
}

type Written = { output: string[]; usage: string[] };
const event = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: Json): string => `event: ${data.type}\n${event(data)}`;

export function writeChatChunks(vendor: Vendor, produced: Produced): Written {
  const head = {
    id: 'chatcmpl-honest',
    object: 'chat.completion.chunk',
    created: 1,
    model: produced.body.model,
  };
  const choices = Array.from({ length: Number(produced.body.n ?? 1) }, (_, index) => index);
  const chunk = (index: number, delta: Json, finish_reason: string | null) =>
    event({ ...head, choices: [{ index, delta, finish_reason }] });
  return {
    output: choices.flatMap((index) => [
      chunk(index, { role: 'assistant', content: '' }, null),
      chunk(index, { content: textOf(produced) }, null),
    ]),
    usage: [
      ...choices.map((index) => chunk(index, {}, 'stop')),
      event({ ...head, choices: [], usage: chatUsage(vendor, produced) }),
      'data: [DONE]\n\n',
    ],
  };
}

function messageUsage({ tokens, reasoning, searches }: Produced): Json {
  const { cacheWrite5m, cacheWrite1h } = tokens;
  return {
    input_tokens: tokens.input,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: tokens.output,
    output_tokens_details: { thinking_tokens: reasoning },
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
  };
}

export function writeMessage(_: Vendor, produced: Produced): Json {
  return {
    id: 'msg_honest',
    type: 'message',
    role: 'assistant',
    model: produced.body.model,
    content: [{ type: 'text', text: textOf(produced) }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: messageUsage(produced),
  };
}

export function messageEvents(_: Vendor, produced: Produced): Written {
  const usage = messageUsage(produced);
  const message = { ...writeMessage('anthropic', produced), content: [], stop_reason: null };
  return {
    output: [
      named({ type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } }),
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      named({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: textOf(produced) },
      }),
    ],
    usage: [
      named({ type: 'content_block_stop', index: 0 }),
      named({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
      named({ type: 'message_stop' }),
    ],
  };
}

function responseUsage({ tokens, reasoning }: Produced): Json {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = tokens;
  const prompt = input + cacheRead + cacheWrite5m + cacheWrite1h;
  return {
    input_tokens: prompt,
    input_tokens_details: {
      cached_tokens: cacheRead,
      ...(cacheWrite5m > 0 && { cache_write_tokens: cacheWrite5m }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
  };
}

const searchCalls = ({ searches }: Produced): Json[] =>
  Array.from({ length: searches }, (_, index) => ({
    id: `ws_${index}`,
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: 'word' },
  }));

const MESSAGE_ITEM = { id: 'msg_honest', type: 'message', role: 'assistant' };

export function writeResponse(_: Vendor, produced: Produced): Json {
  const content = [{ type: 'output_text', text: textOf(produced), annotations: [] }];
  return {
    id: 'resp_honest',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: produced.body.model,
    output: [...searchCalls(produced), { ...MESSAGE_ITEM, status: 'completed', content }],
    usage: responseUsage(produced),
  };
}

export function responseEvents(vendor: Vendor, produced: Produced): Written {
  const response = writeResponse(vendor, produced);
  const searched = searchCalls(produced);
  const item = (response.output as Json[]).at(-1);
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const text = textOf(produced);
  const output_index = searched.length;
  const at = { item_id: MESSAGE_ITEM.id, output_index, content_index: 0 };
  const part = { type: 'output_text', text, annotations: [] };
  const events: Json[] = [
    { type: 'response.created', response: begun },
    ...searched.flatMap((call, index) => [
      {
        type: 'response.output_item.added',
        output_index: index,
        item: { id: call.id, type: call.type, status: 'in_progress' },
      },
      { type: 'response.output_item.done', output_index: index, item: call },
    ]),
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...MESSAGE_ITEM, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...at, delta: text },
    { type: 'response.output_text.done', ...at, text },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index, item },
    { type: 'response.completed', response },
  ];
  const written = events.map((one, sequence_number) => named({ ...one, sequence_number }));
  const end = 4 + 2 * searched.length;
  return { output: written.slice(0, end), usage: written.slice(end) };
}
