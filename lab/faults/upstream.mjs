// @ts-check
import { createServer } from 'node:http';

/**
 * A provider that fails on demand. Runs in a process of its own: its parent sends it a mode, which also applies to
 * responses that run.
 *
 * @typedef {'works' | 'refuses' | 'hangs' | 'stalls' | 'resets' | 'malformed' | 'fails' | 'drips' | 'holds open'} Mode
 */

const REQUEST_MS = 30;
const CHUNK_MS = 100;
const CHUNKS = 20;
const DRIP_MS = 60_000;
/** A stream that is held open sends this often, so that nobody ends it as idle. */
const HELD_MS = 10_000;
const USAGE = { prompt_tokens: 120, completion_tokens: 40, total_tokens: 160 };
const SHARED = { id: 'chatcmpl-faults', created: 1_760_000_000, model: 'gpt-4.1-mini-2025-04-14' };
const CONTENT = 'A lighthouse keeper counts waves. ';

/** @type {Mode} */
let mode = 'works';
/** The responses that run, and what each does when the mode changes. @type {Set<() => void>} */
const running = new Set();

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('error', () => {});
  request.on('end', () => {
    const isStream = request.method === 'POST' && JSON.parse(String(Buffer.concat(chunks))).stream === true;
    if (mode === 'hangs') return;
    if (mode === 'fails') return void response.writeHead(500).end('{"error":{"message":"broken"}}');
    if (mode === 'malformed') return void sendMalformed(response, isStream);
    if (mode === 'resets' && !isStream) return void request.socket.destroy();
    if (isStream) return void sendStream(response);
    setTimeout(() => sendWhole(response), REQUEST_MS);
  });
});

/** @param {import('node:http').ServerResponse} response */
function sendWhole(response) {
  const choices = [
    { index: 0, message: { role: 'assistant', content: CONTENT.repeat(8) }, finish_reason: 'stop' },
  ];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...SHARED, object: 'chat.completion', choices, usage: USAGE }));
}

/** @param {import('node:http').ServerResponse} response @param {boolean} isStream */
function sendMalformed(response, isStream) {
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  response.end(isStream ? 'data: {"choices": [{"delta"\n\ndata: <html>\n\n' : '<html>Bad gateway</html>');
}

/** @param {import('node:http').ServerResponse} response */
function sendStream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const next = () => {
    clearTimeout(timer);
    if (mode === 'resets' && sent > 0) return void response.socket?.destroy();
    if (mode === 'stalls' && sent > 0) return;
    sent += 1;
    if (sent > CHUNKS && mode !== 'holds open') return end(response);
    writeEvent(response, { choices: [{ index: 0, delta: { content: CONTENT }, finish_reason: null }] });
    timer = setTimeout(next, mode === 'drips' ? DRIP_MS : mode === 'holds open' ? HELD_MS : CHUNK_MS);
  };
  running.add(next);
  response.on('close', () => {
    clearTimeout(timer);
    running.delete(next);
  });
  next();
}

/** @param {import('node:http').ServerResponse} response */
function end(response) {
  writeEvent(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  writeEvent(response, { choices: [], usage: USAGE });
  response.end('data: [DONE]\n\n');
}

/** @param {import('node:http').ServerResponse} response @param {object} fields */
function writeEvent(response, fields) {
  response.write(`data: ${JSON.stringify({ ...SHARED, object: 'chat.completion.chunk', ...fields })}\n\n`);
}

function listen() {
  server.listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4_096 }, () =>
    process.send?.('ready'),
  );
}

process.on('message', (message) => {
  const before = mode;
  mode = /** @type {Mode} */ (message);
  if (before === 'refuses') return listen();
  if (mode === 'refuses') {
    server.close();
    server.closeAllConnections();
  }
  for (const next of [...running]) next();
  process.send?.('ready');
});
process.on('disconnect', () => process.exit(0));
listen();
