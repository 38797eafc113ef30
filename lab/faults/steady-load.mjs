// @ts-check
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { MODEL } from '../bench/servers.mjs';

/**
 * Paid requests and streams at a fixed rate, whatever the servers do, and what their client saw of each.
 *
 * @typedef {object} Seen
 * @property {boolean} isStream
 * @property {number} sentMs
 * @property {number} endedMs
 * @property {string} outcome `ok`, `busy` (429 or 503 with `Retry-After`), the status, `502 of the proxy`, `broken` or the error's code
 * @property {number} status 0 without a response
 * @property {string} requestId '' without a response
 * @property {number | null} charged microcredits, if a header reports them
 *
 * @typedef {{ url: string, keys: string[], requestsPerSecond: number, streamsPerSecond: number }} Rate
 */

const TICK_MS = 20;
const PATIENCE_MS = 120_000;
const WRONG_EVENT = '"error"';

/** @param {Rate} rate */
export function startSteadyLoad({ url, keys, requestsPerSecond, streamsPerSecond }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  /** @type {Seen[]} */
  const seen = [];
  /** @type {Set<Promise<void>>} */
  const running = new Set();
  const startedMs = performance.now();
  const sent = { requests: 0, streams: 0 };
  const send = (/** @type {boolean} */ isStream) => {
    const key = keys[(sent.requests + sent.streams) % keys.length] ?? '';
    const work = sendOne(`${url}/v1/chat/completions`, { agent, key, isStream }).then((one) => {
      seen.push(one);
      running.delete(work);
    });
    running.add(work);
  };
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedMs) / 1_000;
    for (; sent.requests < seconds * requestsPerSecond; sent.requests += 1) send(false);
    for (; sent.streams < seconds * streamsPerSecond; sent.streams += 1) send(true);
  }, TICK_MS);
  return {
    seen,
    running: () => running.size,
    /** Sends no more, and waits until everything has ended. */
    end: async () => {
      clearInterval(timer);
      await Promise.all(running);
      agent.destroy();
    },
  };
}

/**
 * @param {string} address
 * @param {{ agent: Agent, key: string, isStream: boolean, more?: Record<string, string>, onHeaders?: (status: number) => void }} how
 * @returns {Promise<Seen>}
 */
export function sendOne(address, { agent, key, isStream, more, onHeaders }) {
  const body = JSON.stringify({
    model: MODEL,
    max_tokens: 256,
    messages: [{ role: 'user', content: 'Describe the harbour at dawn in a few plain sentences.' }],
    ...(isStream && { stream: true }),
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    authorization: `Bearer ${key}`,
    ...more,
  };
  const sentMs = performance.now();
  return new Promise((resolve) => {
    /** @type {Seen} */
    const one = { isStream, sentMs, endedMs: 0, outcome: '', status: 0, requestId: '', charged: null };
    const finish = (/** @type {string} */ outcome) => {
      if (one.outcome !== '') return;
      resolve(Object.assign(one, { outcome, endedMs: performance.now() }));
    };
    const sending = request(address, { method: 'POST', agent, headers, timeout: PATIENCE_MS }, (response) => {
      const charged = response.headers['x-svc-credits-charged'];
      one.status = response.statusCode ?? 0;
      one.requestId = String(response.headers['x-request-id'] ?? '');
      one.charged = charged === undefined ? null : Math.round(Number(charged) * 1e6);
      onHeaders?.(one.status);
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text = (text + part).slice(-2_000);
      });
      response.on('error', () => finish('broken'));
      response.on('aborted', () => finish('broken'));
      response.on('end', () => finish(judge(one, text, response.headers['retry-after'])));
    });
    sending.on('timeout', () => sending.destroy(Object.assign(new Error(), { code: 'no response' })));
    sending.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => finish(code ?? 'error'));
    sending.end(body);
  });
}

/** @param {Seen} one @param {string} text @param {string | undefined} retryAfter */
function judge({ status, requestId, isStream }, text, retryAfter) {
  if ((status === 503 || status === 429) && Number(retryAfter) > 0) return 'busy';
  // Every response of the product has an id.
  if (status !== 200) return requestId === '' ? `${status} of the proxy` : String(status);
  const isWhole = isStream
    ? text.endsWith('data: [DONE]\n\n') && !text.includes(WRONG_EVENT)
    : text.includes('"usage"');
  return isWhole ? 'ok' : 'broken';
}
