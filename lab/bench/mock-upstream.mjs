// @ts-check
import { createServer } from 'node:net';

/**
 * A provider that costs next to nothing: every response is prepared at start, and only as much of a request is
 * read as is needed to find its end. A streamed response is sent in separate writes, one per turn of the event
 * loop, so that as little as possible arrives merged.
 */

/** Events of a stream: fewer for a small request than for that of an agent. */
const CHUNKS = { small: 100, agent: 500 };
const AGENT_BYTES = 16_384;
const BYTES_PER_TOKEN = 3.3;
const OUTPUT_TOKENS = 40;
const HEAD_END = '\r\n\r\n';

const READY = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
const STREAM_HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n',
);
const LAST_PART = '0\r\n\r\n';
const TEXT = 'A lighthouse keeper counts waves. '.repeat(8);

/**
 * @typedef {object} Dialect a format of responses, with OpenAI's or Anthropic's order of fields
 * @property {(input: number) => object} whole
 * @property {object[]} begin
 * @property {object} delta
 * @property {(input: number) => object[]} end
 * @property {boolean} isNamed each event has a name
 * @property {string} after
 */

const CHAT = { id: 'chatcmpl-bench', created: 1_760_000_000, model: 'gpt-4.1-mini-2025-04-14' };
const CHUNK = { ...CHAT, object: 'chat.completion.chunk' };
/** All but what is new is read from the cache. @param {number} input */
const chatUsage = (input) => ({
  prompt_tokens: input,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: input + OUTPUT_TOKENS,
  prompt_tokens_details: { cached_tokens: cachedOf(input) },
});
/** @param {number} input */
const messageUsage = (input) => ({
  input_tokens: input - cachedOf(input),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cachedOf(input),
  output_tokens: OUTPUT_TOKENS,
});
/** @param {number} input */
const cachedOf = (input) => (input < 1_024 ? 0 : Math.max(0, input - 2_300));
const MESSAGE = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' };
const RESPONSE = { id: 'resp_bench', object: 'response', created_at: 1_760_000_000, model: CHAT.model };
/** @param {number} input */
const completed = (input) => ({
  ...RESPONSE,
  status: 'completed',
  output: [
    {
      id: 'msg_bench',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: TEXT, annotations: [] }],
    },
  ],
  usage: {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedOf(input) },
    output_tokens: OUTPUT_TOKENS,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + OUTPUT_TOKENS,
  },
});

/** @type {Record<string, Dialect>} by the end of the path */
const DIALECTS = {
  completions: {
    whole: (input) => ({
      ...CHAT,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
      usage: chatUsage(input),
    }),
    begin: [],
    delta: { ...CHUNK, choices: [{ index: 0, delta: { content: 'counts waves ' }, finish_reason: null }] },
    end: (input) => [
      { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...CHUNK, choices: [], usage: chatUsage(input) },
    ],
    isNamed: false,
    after: 'data: [DONE]\n\n',
  },
  messages: {
    whole: (input) => ({
      ...MESSAGE,
      content: [{ type: 'text', text: TEXT }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: messageUsage(input),
    }),
    begin: [
      { type: 'message_start', message: { ...MESSAGE, content: [], usage: messageUsage(0) } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    delta: {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'counts waves ' },
    },
    end: (input) => [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: messageUsage(input) },
      { type: 'message_stop' },
    ],
    isNamed: true,
    after: '',
  },
  responses: {
    whole: completed,
    begin: [{ type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } }],
    delta: {
      type: 'response.output_text.delta',
      item_id: 'msg_bench',
      output_index: 0,
      content_index: 0,
      delta: 'counts waves ',
    },
    end: (input) => [{ type: 'response.completed', response: completed(input) }],
    isNamed: true,
    after: '',
  },
};

/** @param {object} body */
function writeAnswer(body) {
  const json = JSON.stringify(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`;
  return Buffer.from(head + json);
}

/** One part of a chunked body. @param {string} text */
function writePart(text) {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** @param {Dialect} dialect @param {number} input @param {number} chunks */
function writeStream({ begin, delta, end, isNamed, after }, input, chunks) {
  /** @param {object} event */
  const write = (event) => {
    const name = isNamed && 'type' in event ? `event: ${event.type}\n` : '';
    return Buffer.from(writePart(`${name}data: ${JSON.stringify(event)}\n\n`));
  };
  const deltas = Array.from({ length: chunks }, () => write(delta));
  const last = `${after === '' ? '' : writePart(after)}${LAST_PART}`;
  return [STREAM_HEAD, ...begin.map(write), ...deltas, ...end(input).map(write), Buffer.from(last)];
}

/** What was written for each dialect, and number of tokens and chunks. @type {Map<string, Buffer[]>} */
const written = new Map();

/** @param {import('node:net').Socket} socket @param {Buffer} request */
function answer(socket, request) {
  const head = request.toString('latin1', 0, 200);
  if (head.startsWith('GET')) return void socket.write(READY);
  const path = /^POST \S*?(\w+)(?:\?\S*)? /.exec(head)?.[1] ?? '';
  const isAgent = request.length > AGENT_BYTES;
  const input = isAgent ? Math.round(request.length / BYTES_PER_TOKEN) : 120;
  const isStream = hasField(request, '"stream":true');
  const name = `${path} ${input} ${isStream}`;
  const dialect = DIALECTS[path] ?? DIALECTS.completions;
  if (dialect === undefined) return void socket.destroy();
  const events =
    written.get(name) ??
    (isStream
      ? writeStream(dialect, input, isAgent ? CHUNKS.agent : CHUNKS.small)
      : [writeAnswer(dialect.whole(input))]);
  if (written.size < 1_000) written.set(name, events);
  stream(socket, events);
}

/** A field is at either end of the body, and a search of megabytes takes time. @param {Buffer} request @param {string} field */
const hasField = (request, field) =>
  request.subarray(0, 4_096).includes(field) || request.subarray(-4_096).includes(field);

/** @param {import('node:net').Socket} socket @param {Buffer[]} events */
function stream(socket, events) {
  let next = 0;
  const writeNext = () => {
    const event = events[next];
    if (event === undefined || socket.destroyed) return;
    next += 1;
    socket.write(event);
    if (next < events.length) setImmediate(writeNext);
  };
  writeNext();
}

/** The length of the first request, or undefined while its head is incomplete. @param {Buffer} received */
function lengthOf(received) {
  const end = received.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  return end + HEAD_END.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
}

const server = createServer({ noDelay: true }, (socket) => {
  /** @type {Buffer[]} */
  let parts = [];
  let bytes = 0;
  /** @type {number | undefined} */
  let length;
  socket.on('data', (data) => {
    parts.push(data);
    bytes += data.length;
    length ??= lengthOf(parts.length === 1 ? data : Buffer.concat(parts));
    if (length === undefined || bytes < length) return;
    answer(socket, parts.length === 1 ? data : Buffer.concat(parts));
    [parts, bytes, length] = [[], 0, undefined];
  });
  socket.on('error', () => socket.destroy());
});

server.listen(Number(process.env.PORT), '127.0.0.1');
