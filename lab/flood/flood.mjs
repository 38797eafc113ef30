// @ts-check
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../scripts/read-options.mjs';
import { buildAll, enterProject } from '../../scripts/steps.mjs';
import { makeFundedKeys } from '../bench/funded-keys.mjs';
import { findDatabase } from '../bench/product-database.mjs';
import { MODEL, ROOT, startEvenUpstream, startProduct, stopServers } from '../bench/servers.mjs';
import { ATTACKS } from './attacks.mjs';

/**
 * Runs attacks next to paid streams, and prints what they do to the time between the chunks of the streams. See
 * README.md.
 */

const STREAMS = 50;
const GOAL_MS = 100;
const SETTLE_MS = 1_000;

const values = readOptions({
  seconds: { type: 'string', default: '60' },
  only: { type: 'string', default: '' },
});
const seconds = Number(values.seconds);

/** The gaps between two chunks of each stream, in milliseconds. @type {number[]} */
let gaps = [];
let ended = 0;

/** @param {string} origin @param {string} key */
function openStream(origin, key) {
  const body = JSON.stringify({
    model: MODEL,
    stream: true,
    messages: [{ role: 'user', content: 'Count waves.' }],
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const sent = request(
    `${origin}/v1/chat/completions`,
    { method: 'POST', headers, agent: false },
    (response) => {
      let last = performance.now();
      response.on('data', () => {
        const now = performance.now();
        gaps.push(now - last);
        last = now;
      });
      response.on('close', () => ended++);
    },
  );
  sent.on('error', () => {});
  sent.end(body);
  return sent;
}

/** @param {number | undefined} pid */
const readRss = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/**
 * Measures the gaps and the memory while the work runs.
 *
 * @template Outcome @param {number | undefined} pid @param {() => Promise<Outcome>} work
 */
async function measure(pid, work) {
  await sleep(SETTLE_MS);
  gaps = [];
  let rss = 0;
  const timer = setInterval(() => {
    rss = Math.max(rss, readRss(pid));
  }, 100);
  const outcome = await work();
  clearInterval(timer);
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return {
    outcome,
    p99: Number(at(0.99)),
    text: `p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)} ms  rss ${rss.toFixed(0)} MB`,
  };
}

async function flood() {
  enterProject();
  await buildAll();
  const dataDir = path.join(ROOT, '.data/flood', `run-${process.pid}`);
  const upstream = await startEvenUpstream();
  const product = await startProduct(upstream.origin, dataDir, { LIMIT_REQUESTS_PER_KEY_PER_MINUTE: '600' });
  const attacker = fork(fileURLToPath(new URL('attacks.mjs', import.meta.url)));
  try {
    const [ours = '', ...keys] = await makeFundedKeys(product, findDatabase(dataDir), 6);
    const streams = Array.from({ length: STREAMS }, (_, n) =>
      openStream(product.origin, keys[n % keys.length] ?? ''),
    );
    await sleep(2 * SETTLE_MS);
    const quiet = await measure(product.pid, () => sleep(Math.min(seconds, 10) * 1_000));
    console.log(`${'undisturbed'.padEnd(44)} ${quiet.text}  load ${os.loadavg()[0]?.toFixed(1)}`);
    let isGood = true;
    for (const name of Object.keys(ATTACKS).filter((each) => each.includes(values.only))) {
      for (const [whose, key] of /** @type {const} */ ([
        ['unknown keys', null],
        ['a valid key', ours],
      ])) {
        const { outcome, p99, text } = await measure(product.pid, async () => {
          attacker.send({ name, origin: product.origin, key, seconds });
          const [outcomes] = await once(attacker, 'message');
          return /** @type {Record<string, number>} */ (outcomes);
        });
        isGood &&=
          p99 < GOAL_MS && Object.keys(outcome).every((status) => /^(4..|503|still open)$/.test(status));
        console.log(
          `${`${name}, ${whose}`.padEnd(44)} ${text}  load ${os.loadavg()[0]?.toFixed(1)}  ${JSON.stringify(outcome)}`,
        );
      }
    }
    console.log(`${STREAMS - ended} of ${STREAMS} streams are still running`);
    for (const stream of streams) stream.destroy();
    process.exitCode = isGood && ended === 0 ? 0 : 1;
  } finally {
    attacker.disconnect();
    await stopServers();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

await flood();
