// @ts-check
import { createServer } from 'node:net';

/**
 * A provider that costs next to nothing: every response is prepared at start, and only as much of a request is
 * read as is needed to find its end. A streamed response is sent in separate writes, one per turn of the event
 * loop, so that as little as possible arrives merged.
 */

const CHUNKS = 100;
const USAGE = { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 };
const MODEL = 'gpt-4.1-mini-2025-04-14';
const SHARED = { created: 1_760_000_000, model: MODEL };
const HEAD_END = '\r\n\r\n';

const READY = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
const ANSWER = writeAnswer({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  ...SHARED,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'A lighthouse keeper counts waves. '.repeat(8) },
      finish_reason: 'stop',
    },
  ],
  usage: USAGE,
});

const STREAM_HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n',
);
const STREAM = Array.from({ length: CHUNKS }, (_, index) => {
  const last = index === CHUNKS - 1;
  const delta = last ? {} : { content: 'counts waves ' };
  return writeEvent({ choices: [{ index: 0, delta, finish_reason: last ? 'stop' : null }] });
});
const STREAM_USAGE = writeEvent({ choices: [], usage: USAGE });
const STREAM_END = Buffer.from(`${writePart('data: [DONE]\n\n')}0\r\n\r\n`);
const WITH_USAGE = [STREAM_HEAD, ...STREAM, STREAM_USAGE, STREAM_END];
const WITHOUT_USAGE = [STREAM_HEAD, ...STREAM, STREAM_END];

/** @param {object} body */
function writeAnswer(body) {
  const json = JSON.stringify(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`;
  return Buffer.from(head + json);
}

/** The fields in OpenAI's order. @param {object} fields */
function writeEvent(fields) {
  const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', ...SHARED, ...fields };
  return Buffer.from(writePart(`data: ${JSON.stringify(chunk)}\n\n`));
}

/** One part of a chunked body. @param {string} text */
function writePart(text) {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** @param {import('node:net').Socket} socket @param {Buffer} request */
function answer(socket, request) {
  if (request.subarray(0, 3).toString() === 'GET') return void socket.write(READY);
  if (!request.includes('"stream":true')) return void socket.write(ANSWER);
  stream(socket, request.includes('"include_usage":true') ? WITH_USAGE : WITHOUT_USAGE);
}

/** @param {import('node:net').Socket} socket @param {Buffer[]} events */
function stream(socket, events) {
  let next = 0;
  const writeNext = () => {
    const event = events[next];
    if (event === undefined || socket.destroyed) return;
    next += 1;
    socket.write(event);
    setImmediate(writeNext);
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
  /** @type {Buffer | undefined} */
  let kept;
  socket.on('data', (data) => {
    const received = kept === undefined ? data : Buffer.concat([kept, data]);
    const length = lengthOf(received);
    kept = length === undefined || received.length < length ? received : undefined;
    if (kept === undefined) answer(socket, received);
  });
  socket.on('error', () => socket.destroy());
});

server.listen(Number(process.env.PORT), '127.0.0.1');
