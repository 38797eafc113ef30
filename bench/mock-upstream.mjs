// @ts-check
import { createServer } from 'node:http';

/**
 * A provider that costs next to nothing: every response is prepared at start. A streamed response is sent
 * in separate writes, one per turn of the event loop, so that nothing arrives merged.
 */

const CHUNKS = 20;
const USAGE = { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 };
const SHARED = { id: 'chatcmpl-bench', created: 1_760_000_000, model: 'gpt-4.1-mini' };

const ANSWER = Buffer.from(
  JSON.stringify({
    ...SHARED,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'A lighthouse keeper counts waves. '.repeat(8) },
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
  }),
);
const STREAM = Array.from({ length: CHUNKS }, (_, index) => {
  const last = index === CHUNKS - 1;
  const delta = last ? {} : { content: 'counts waves ' };
  return writeEvent({ choices: [{ index: 0, delta, finish_reason: last ? 'stop' : null }] });
});
const STREAM_USAGE = writeEvent({ choices: [], usage: USAGE });
const STREAM_END = Buffer.from('data: [DONE]\n\n');

/** @param {object} fields */
function writeEvent(fields) {
  return Buffer.from(
    `data: ${JSON.stringify({ ...SHARED, object: 'chat.completion.chunk', ...fields })}\n\n`,
  );
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {boolean} withUsage
 */
function stream(response, withUsage) {
  const events = [...STREAM, ...(withUsage ? [STREAM_USAGE] : []), STREAM_END];
  let next = 0;
  const writeNext = () => {
    const event = events[next];
    next += 1;
    if (event === undefined) return response.end();
    response.write(event);
    setImmediate(writeNext);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  writeNext();
}

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString()) : {};
    if (body.stream === true) return stream(response, body.stream_options?.include_usage === true);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
});

server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
