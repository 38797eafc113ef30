// @ts-check
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { SESSION_NUMBER } from './agent-session.mjs';

/**
 * The load generator: a separate process that receives one job at a time from the driver. It stays alive between
 * jobs, so that only its first job pays for its own warm-up. It reads no more of a response than it must, to leave
 * the processor to the servers.
 *
 * @typedef {object} Job
 * @property {string[]} origins the connections are spread over them
 * @property {string} path
 * @property {number} connections
 * @property {number} seconds
 * @property {string[]} bodies sent in turn over each connection
 * @property {Record<string, string>[]} headers one set per connection, in turn
 * @property {string} expected what every correct response contains, near its end
 *
 * @typedef {object} Figures
 * @property {number} rps
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} requests all that were answered, including those that are not timed
 * @property {number[]} samples requests in each whole 5 seconds
 * @typedef {{ figures: Figures } | { failure: string }} Outcome
 */

/** Connections open and buffers fill in this first part of a job, which is not timed. */
const LEAD_IN_MS = 300;
const SAMPLE_MS = 5_000;
const STALLED_MS = 30_000;
/** Characters of a response that are kept to look for what is expected. */
const KEPT = 512;
const OK = 'HTTP/1.1 200 ';
const HEAD_END = '\r\n\r\n';
const LAST_PART = '\r\n0\r\n\r\n';

/** @param {Job} job @returns {Promise<Outcome>} */
async function drive(job) {
  const startMs = performance.now() + LEAD_IN_MS;
  const endMs = startMs - LEAD_IN_MS + job.seconds * 1_000;
  /** @type {number[]} */
  const durationsMs = [];
  /** @type {number[]} */
  const samples = Array(Math.floor((endMs - startMs) / SAMPLE_MS)).fill(0);
  let requests = 0;
  /** Returns whether the connection sends another request. @param {number} sentMs */
  const onResponse = (sentMs) => {
    const nowMs = performance.now();
    requests += 1;
    if (nowMs > endMs) return false;
    if (nowMs < startMs) return true;
    durationsMs.push(nowMs - sentMs);
    const sample = Math.floor((nowMs - startMs) / SAMPLE_MS);
    if (sample < samples.length) samples[sample] = (samples[sample] ?? 0) + 1;
    return true;
  };

  const stop = new AbortController();
  setMaxListeners(job.connections, stop.signal);
  const stalled = setTimeout(
    () => stop.abort(new Error(`a request is still running ${STALLED_MS / 1_000} s after the last was sent`)),
    endMs + STALLED_MS - performance.now(),
  );
  const connections = Array.from({ length: job.connections }, (_, index) =>
    keepSending(job, index, onResponse, stop.signal),
  );
  try {
    await Promise.all(connections);
  } catch (error) {
    stop.abort(error);
    return { failure: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(stalled);
  }
  if (durationsMs.length === 0) return { failure: 'no request was answered in time' };
  return { figures: { ...summarise(durationsMs, endMs - startMs), requests, samples } };
}

/**
 * Sends one request after the other over one connection, until `onResponse` returns false.
 *
 * @param {Job} job @param {number} index @param {(sentMs: number) => boolean} onResponse @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function keepSending(job, index, onResponse, signal) {
  const { hostname, port } = new URL(job.origins[index % job.origins.length] ?? '');
  const requests = job.bodies.map((body) =>
    writeRequest(job.path, body, `${hostname}:${port}`, job.headers[index % job.headers.length] ?? {}),
  );
  let sent = 0;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let reader = readResponse(job.expected);
    let sentMs = 0;
    const send = () => {
      const request = requests[sent % requests.length] ?? Buffer.alloc(0);
      numberSession(request, index * 1_000_000 + Math.floor(sent / requests.length));
      sent += 1;
      sentMs = performance.now();
      socket.write(request);
    };
    const fail = (/** @type {unknown} */ reason) => {
      reject(reason);
      socket.destroy();
    };
    socket.on('connect', send);
    socket.on('data', (data) => {
      const state = reader(data.toString('latin1'));
      if (state === 'more') return;
      if (state !== 'complete') return fail(new Error(state.wrong));
      reader = readResponse(job.expected);
      if (onResponse(sentMs)) return send();
      resolve();
      socket.destroy();
    });
    socket.on('error', fail);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  });
}

/** @param {string} path @param {string} body @param {string} host @param {Record<string, string>} headers */
function writeRequest(path, body, host, headers) {
  const all = { host, ...headers, 'content-length': Buffer.byteLength(body) };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}

const SESSION_BEGINNING = 'Session ';

/** Makes a session differ from all others. @param {Buffer} request @param {number} number */
function numberSession(request, number) {
  const at = request.indexOf(SESSION_BEGINNING);
  if (at === -1) return;
  request.write(String(number).padStart(SESSION_NUMBER.length, '0'), at + SESSION_BEGINNING.length);
}

/**
 * Returns a function that receives what was read, and says whether the response is complete and as expected.
 *
 * @param {string} expected
 * @returns {(text: string) => 'more' | 'complete' | { wrong: string }}
 */
function readResponse(expected) {
  let head = '';
  /** The end of the body. */
  let tail = '';
  /** Infinity for a chunked body. */
  let left = Number.NaN;
  return (text) => {
    let part = text;
    if (Number.isNaN(left)) {
      head += text;
      const end = head.indexOf(HEAD_END);
      if (end === -1) return 'more';
      if (!head.startsWith(OK)) return { wrong: `unexpected response: ${head.slice(0, 2_000)}` };
      part = head.slice(end + HEAD_END.length);
      left = Number(/\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1] ?? Number.POSITIVE_INFINITY);
    }
    left -= part.length;
    tail = (tail + part).slice(-KEPT);
    if (left > 0 && !(left === Number.POSITIVE_INFINITY && tail.endsWith(LAST_PART))) return 'more';
    return tail.includes(expected) ? 'complete' : { wrong: `unexpected end of a response: ${tail}` };
  };
}

/** @param {number[]} durationsMs @param {number} windowMs */
function summarise(durationsMs, windowMs) {
  const sorted = Float64Array.from(durationsMs).sort();
  /** @param {number} share */
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { rps: (sorted.length / windowMs) * 1_000, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}

process.on('message', async (message) => {
  const job = /** @type {Job} */ (message);
  process.send?.(await drive(job).catch((error) => ({ failure: String(error) })));
});
process.on('disconnect', () => process.exit(0));
