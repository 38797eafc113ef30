// @ts-check
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../scripts/read-options.mjs';
import { buildAll, enterProject } from '../../scripts/steps.mjs';
import { countOpenFiles, readMemoryMb } from '../bench/process-memory.mjs';
import { query } from '../bench/product-database.mjs';
import { startLoad } from '../bench/rounds.mjs';
import { ROOT, stopServers } from '../bench/servers.mjs';
import { WORKLOADS } from '../bench/workloads.mjs';
import { startSteadyLoad } from './steady-load.mjs';
import { judge } from './verdict.mjs';
import { METRICS_TOKEN, World } from './world.mjs';

/**
 * `npm run soak`: two instances at half of what they carry, and whether their memory and open files stay flat.
 *
 * @typedef {{ rssMb: number, heapMb: number, files: number, delayMs: number }} Sample
 */

const HELP = `npm run soak -- [options]

  --minutes N      how long (30)
  --rate N         requests per second; without it, half of what was measured before the start

Exit code 1 if a request fails, if the books do not agree, or if a process grows after the first quarter.`;

/** Growth from the second quarter to the last that is still flat: of the least heap in a minute, and of the rest. */
const MOST_HEAP_MB = 16;
const MOST_RSS_MB = 64;
const MOST_DATABASE_MB = 64;
const MOST_FILES = 16;

const MEASURE_SECONDS = 6;
const SAMPLE_MS = 5_000;
const MINUTE_MS = 60_000;
const STREAMS_SHARE = 0.02;

const values = readOptions({
  minutes: { type: 'string', default: '30' },
  rate: { type: 'string' },
  help: { type: 'boolean', default: false },
});
const minutes = Number(values.minutes);
/** @type {World | undefined} */
let world;

async function soak() {
  if (values.help) return console.log(HELP);
  if (!(minutes >= 4)) throw new Error(`--minutes: expected at least 4\n\n${HELP}`);
  enterProject();
  await buildAll();
  world = await World.open({ dataDir: path.join(ROOT, '.data/soak', `run-${process.pid}`) });
  const rate = Number(values.rate ?? Math.round((await measureMost(world)) / 2));
  const before = await countReceipts(world);
  console.log(`${rate} requests/s on two instances for ${minutes} minutes`);
  const load = startSteadyLoad({
    url: world.proxyUrl,
    keys: world.keys,
    requestsPerSecond: rate * (1 - STREAMS_SHARE),
    streamsPerSecond: rate * STREAMS_SHARE,
  });
  /** @type {{ ok: number, samples: Sample[] }[]} */
  const all = [];
  const failed = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    const samples = await sampleMinute(world);
    const seen = load.seen.splice(0);
    failed.push(...seen.filter((one) => one.outcome !== 'ok').map((one) => one.outcome));
    all.push({ ok: seen.filter((one) => one.outcome === 'ok').length, samples });
    print(minute, seen, samples);
  }
  await load.end();
  const ok =
    load.seen.filter((one) => one.outcome === 'ok').length + all.reduce((sum, one) => sum + one.ok, 0);
  const { problems } = await judge(world, load.seen);
  const booked = (await countReceipts(world)) - before;
  if (booked !== ok) problems.push(`${ok} requests succeeded and ${booked} were booked`);
  if (failed.length > 0) problems.push(`${failed.length} requests failed, such as with ${failed[0]}`);
  problems.push(...findGrowth(all.map(({ samples }) => samples)));
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? 'flat, and the books agree' : 'NOT FLAT, or the books do not agree');
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** Requests per second at 128 connections. @param {World} opened */
async function measureMost(opened) {
  const { drive, stop } = startLoad();
  try {
    const target = {
      name: 'svc',
      kind: /** @type {const} */ ('svc'),
      origins: opened.instances.map(({ origin }) => origin),
      pids: [],
      lastOutput: () => opened.instances.map(({ lastOutput }) => lastOutput()).join('\n'),
      headers: opened.keys.map((key) => ({ authorization: `Bearer ${key}` })),
    };
    const load = WORKLOADS.twoInstances128;
    if (load === undefined) throw new Error('the load twoInstances128 is gone');
    return (await drive(target, load, MEASURE_SECONDS)).rps;
  } finally {
    stop();
  }
}

/** For each process, what a minute needs at least or at most: the instances, then the database. @param {World} opened */
async function sampleMinute(opened) {
  const endMs = performance.now() + MINUTE_MS;
  /** @type {Sample[][]} */
  const taken = [];
  while (performance.now() < endMs) {
    await sleep(Math.min(SAMPLE_MS, Math.max(0, endMs - performance.now())));
    taken.push([...(await Promise.all(opened.instances.map(sampleInstance))), sampleDatabase(opened)]);
  }
  return (taken[0] ?? []).map((_, n) => {
    const own = taken.flatMap((samples) => samples[n] ?? []);
    return {
      rssMb: Math.min(...own.map((one) => one.rssMb)),
      heapMb: Math.min(...own.map((one) => one.heapMb)),
      files: Math.min(...own.map((one) => one.files)),
      delayMs: Math.max(...own.map((one) => one.delayMs)),
    };
  });
}

/** @param {import('../bench/servers.mjs').Product} instance @returns {Promise<Sample>} */
async function sampleInstance({ origin, pid = 0 }) {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${origin}/metrics`, { headers })).text();
  const read = (/** @type {string} */ name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    rssMb: readMemoryMb([pid]),
    heapMb: read('nodejs_heap_size_used_bytes') / 2 ** 20,
    files: countOpenFiles([pid]),
    delayMs: read('nodejs_eventloop_lag_p99_seconds') * 1_000,
  };
}

/** Without the shared buffers, which fill up to their size. @param {World} opened @returns {Sample} */
function sampleDatabase(opened) {
  const pids = opened.databasePids();
  return { rssMb: readMemoryMb(pids, 'RssAnon'), heapMb: 0, files: countOpenFiles(pids), delayMs: 0 };
}

/** @param {number} minute @param {import('./steady-load.mjs').Seen[]} seen @param {Sample[]} samples */
function print(minute, seen, samples) {
  const took = seen
    .filter((one) => !one.isStream)
    .map((one) => one.endedMs - one.sentMs)
    .sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => (took[Math.floor((took.length - 1) * share)] ?? 0).toFixed(0);
  const failed = seen.filter((one) => one.outcome !== 'ok').length;
  const processes = samples.map(({ rssMb, heapMb, files, delayMs }, n) =>
    n < 2
      ? `instance ${n + 1}: ${rssMb.toFixed(0)} MB, heap ${heapMb.toFixed(0)} MB, ${files} files, event loop p99 ${delayMs.toFixed(0)} ms`
      : `PostgreSQL: ${rssMb.toFixed(0)} MB, ${files} files`,
  );
  console.log(
    `minute ${minute}: ${seen.length} requests, ${failed} failed, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms; ${processes.join('; ')}`,
  );
}

/** Compares the second quarter with the last. @param {Sample[][]} all each minute's processes */
function findGrowth(all) {
  const quarter = Math.max(1, Math.floor(all.length / 4));
  const mean = (/** @type {Sample[][]} */ part, /** @type {number} */ n, /** @type {keyof Sample} */ what) =>
    part.reduce((sum, samples) => sum + (samples[n]?.[what] ?? 0), 0) / part.length;
  const bounds = [0, 1, 2].flatMap((n) => [
    { n, what: /** @type {const} */ ('rssMb'), most: n < 2 ? MOST_RSS_MB : MOST_DATABASE_MB },
    { n, what: /** @type {const} */ ('heapMb'), most: MOST_HEAP_MB },
    { n, what: /** @type {const} */ ('files'), most: MOST_FILES },
  ]);
  return bounds.flatMap(({ n, what, most }) => {
    const grown = mean(all.slice(-quarter), n, what) - mean(all.slice(quarter, 2 * quarter), n, what);
    const name = n < 2 ? `instance ${n + 1}` : 'PostgreSQL';
    return grown <= most ? [] : [`${what} of ${name} grew by ${grown.toFixed(0)}, more than ${most}`];
  });
}

/** @param {World} opened */
async function countReceipts(opened) {
  const [row] = await query({ pid: 0, url: opened.databaseUrl }, 'SELECT count(*)::int AS n FROM usage');
  return Number(row.n);
}

async function cleanUp() {
  await world?.close();
  await stopServers();
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await cleanUp();
    process.exit(130);
  });
}
try {
  await soak();
} finally {
  await cleanUp();
}
