// @ts-check
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';

/**
 * The load generator: a separate process that receives one job at a time from the driver. It stays alive between jobs, so that only its first job pays for its own warm-up.
 *
 * @typedef {object} Job
 * @property {string} url
 * @property {number} connections
 * @property {number} seconds
 * @property {string} body
 * @property {Record<string, string>[]} headers one set per connection, in turn
 * @property {string} expected what every correct response contains
 *
 * @typedef {{ rps: number, p50Ms: number, p99Ms: number, requests: number }} Figures
 * @typedef {{ figures: Figures } | { failure: string }} Outcome
 *
 * @typedef {object} Client one connection of autocannon
 * @property {(headers: Record<string, string>) => void} setHeaders
 * @property {((event: 'headers', listener: (head: { statusCode: number }) => void) => void)
 *   & ((event: 'response', listener: (status: number, bytes: number, durationMs: number) => void) => void)
 *   & ((event: 'mismatch', listener: (body: string) => void) => void)} on
 *
 * @typedef {{ errors: number, timeouts: number, non2xx: number }} Totals
 * @typedef {PromiseLike<Totals> & { stop(): void, on(event: 'reqError', listener: (error: Error) => void): void }} Run
 */

const autocannon = /** @type {(options: object) => Run} */ (createRequire(import.meta.url)('autocannon'));

/** Connections open and buffers fill in this first part of a job, which is not counted. */
const LEAD_IN_MS = 300;

/** @param {Job} job @returns {Promise<Outcome>} */
async function drive(job) {
  /** @type {number[]} */
  const durationsMs = [];
  /** @type {string | undefined} */
  let failure;
  let opened = 0;
  const startMs = performance.now() + LEAD_IN_MS;
  let endMs = startMs;

  /** @param {Client} client */
  const setupClient = (client) => {
    let status = 0;
    client.setHeaders(job.headers[opened % job.headers.length] ?? {});
    opened += 1;
    client.on('headers', (head) => {
      status = head.statusCode;
    });
    client.on('response', (_status, _bytes, durationMs) => {
      const nowMs = performance.now();
      if (nowMs < startMs) return;
      endMs = nowMs;
      durationsMs.push(durationMs);
    });
    client.on('mismatch', (body) => fail(`status ${status}, body: ${body.slice(0, 2_000)}`));
  };

  const run = autocannon({
    url: job.url,
    method: 'POST',
    body: job.body,
    connections: job.connections,
    duration: job.seconds,
    sampleInt: 100,
    setupClient,
    verifyBody: (/** @type {string} */ body) => body.includes(job.expected),
  });
  /** @param {string} reason */
  const fail = (reason) => {
    failure ??= reason;
    run.stop();
  };
  run.on('reqError', (error) => fail(error.message));

  const totals = await run;
  if (failure !== undefined) return { failure };
  if (totals.non2xx > 0) return { failure: `${totals.non2xx} answers were not 2xx` };
  if (durationsMs.length === 0) return { failure: 'no request was answered in time' };
  return { figures: summarise(durationsMs, endMs - startMs) };
}

/** @param {number[]} durationsMs @param {number} windowMs @returns {Figures} */
function summarise(durationsMs, windowMs) {
  const sorted = Float64Array.from(durationsMs).sort();
  /** @param {number} share */
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    rps: (sorted.length / windowMs) * 1_000,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    requests: sorted.length,
  };
}

process.on('message', async (message) => {
  const job = /** @type {Job} */ (message);
  process.send?.(await drive(job).catch((error) => ({ failure: String(error) })));
});
process.on('disconnect', () => process.exit(0));
