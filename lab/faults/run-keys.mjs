// @ts-check
import { Agent } from 'node:http';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../scripts/read-options.mjs';
import { buildAll, enterProject } from '../../scripts/steps.mjs';
import { query } from '../bench/product-database.mjs';
import { ROOT, stopServers } from '../bench/servers.mjs';
import { sendOne } from './steady-load.mjs';
import { judge } from './verdict.mjs';
import { World } from './world.mjs';

/**
 * `npm run run-keys`: trees of run keys of depth three that spend more than their budgets at two instances, which are killed
 * in turn, while branches are revoked. Afterwards no budget is passed, the books agree, and no key of a revoked branch was
 * served again.
 *
 * @typedef {import('./steady-load.mjs').Seen & { key: RunKey, run: string | null }} Sent
 *
 * @typedef {object} RunKey
 * @property {string} id
 * @property {string} key
 * @property {string} ordinary the ordinary key of its user
 * @property {RunKey[]} below
 * @property {number} deadSinceMs when the revocation was answered; Infinity while it lives
 */

const HELP = `npm run run-keys -- [options]

  --keys N         run keys (10000)
  --seconds N      how long they spend (90)
  --seed N         which keys, and in which order (7)

Exit code 1 if a budget is passed, the books do not agree, or a key of a revoked branch is served.`;

const CONNECTIONS = 64;
/** A user has at most 1,000 live run keys in an app. */
const KEYS_PER_USER = 500;
/** Of each level: how many a key above it mints, and what each may spend, in credits. A request costs about 0.014. */
const LEVELS = [
  { keys: 20, credits: 0.25 },
  { keys: 4, credits: 0.12 },
  { keys: 5, credits: 0.05 },
];
const RUN_CREDITS = 0.03;
const STREAMS_SHARE = 0.1;
const RUNS_SHARE = 0.2;
const REVOKE_EVERY_MS = 500;
const REQUESTS_PER_REVOKED = 6;
const RETRY_MS = 200;
const MICRO = 1e6;

const values = readOptions({
  keys: { type: 'string', default: '10000' },
  seconds: { type: 'string', default: '90' },
  seed: { type: 'string', default: '7' },
  help: { type: 'boolean', default: false },
});
let seed = Number(values.seed);
/** The same numbers for the same seed (mulberry32). */
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
/** @template T @param {T[]} list @returns {T} */
const pick = (list) => /** @type {T} */ (list[Math.floor(random() * list.length)]);

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
/** @type {World | undefined} */
let world;

async function runKeys() {
  if (values.help) return console.log(HELP);
  enterProject();
  await buildAll();
  const users = Math.ceil(Number(values.keys) / KEYS_PER_USER);
  world = await World.open({ dataDir: path.join(ROOT, '.data/run-keys', `run-${process.pid}`), users });
  const opened = world;
  const mintedMs = performance.now();
  const trees = (await inParallel(opened.keys.map((key) => () => growTrees(opened, key)))).flat();
  const keys = trees.flatMap(branchOf);
  console.log(`${keys.length} run keys in ${trees.length} trees, minted in ${secondsSince(mintedMs)} s`);

  const endMs = performance.now() + Number(values.seconds) * 1_000;
  /** @type {Sent[]} */
  const sent = [];
  const [revoked, kills] = await Promise.all([
    revokeBranches(opened, trees, endMs),
    killInstances(opened, endMs),
    ...Array.from({ length: CONNECTIONS }, () => spend(opened, keys, sent, endMs)),
  ]);
  agent.destroy();
  /** @type {Map<string, number>} */
  const outcomes = new Map();
  for (const { outcome } of sent) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  console.log([...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', '));
  console.log(`${kills} kills, ${revoked.branches} branches with ${revoked.keys} keys revoked`);
  const problems = [...(await judgeAll(opened, sent)), ...revoked.problems];
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? 'no budget passed, and the books agree' : 'WRONG');
  process.exitCode = problems.length === 0 ? 0 : 1;
}

const secondsSince = (/** @type {number} */ ms) => ((performance.now() - ms) / 1_000).toFixed(0);

/** @template T @param {(() => Promise<T>)[]} work @returns {Promise<T[]>} */
const inParallel = (work) => Promise.all(work.map((each) => each()));

/** All run keys of one user. @param {World} opened @param {string} ordinary */
async function growTrees(opened, ordinary) {
  const grow = async (/** @type {string} */ parent, /** @type {number} */ level) => {
    const { keys, credits } = LEVELS[level] ?? { keys: 0, credits: 0 };
    /** @type {RunKey[]} */
    const grown = [];
    for (let n = 0; n < keys; n += 1) {
      const { user_key: key, key_id: id } = await mint(opened, parent, credits);
      grown.push({
        id,
        key,
        ordinary,
        below: await grow(key, level + 1),
        deadSinceMs: Number.POSITIVE_INFINITY,
      });
    }
    return grown;
  };
  return grow(ordinary, 0);
}

/** @param {World} opened @param {string} key @param {number} credits */
async function mint(opened, key, credits) {
  const response = await fetch(`${opened.proxyUrl}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ credits, expires_in: 86_400 }),
  });
  if (!response.ok) throw new Error(`no run key: ${response.status} ${await response.text()}`);
  return response.json();
}

/** @param {RunKey} key @returns {RunKey[]} */
const branchOf = (key) => [key, ...key.below.flatMap(branchOf)];

/** One connection. @param {World} opened @param {RunKey[]} keys @param {Sent[]} sent @param {number} endMs */
async function spend(opened, keys, sent, endMs) {
  const url = `${opened.proxyUrl}/v1/chat/completions`;
  while (performance.now() < endMs) {
    // The first trees most, so that their keys compete.
    const key = keys[Math.floor(keys.length * random() ** 3)] ?? pick(keys);
    const run = random() < RUNS_SHARE ? `run-${key.id}` : null;
    const more = run === null ? {} : { 'x-svc-run': run, 'x-svc-run-max-credits': String(RUN_CREDITS) };
    const one = await sendOne(url, { agent, key: key.key, isStream: random() < STREAMS_SHARE, more });
    sent.push({ ...one, key, run });
    // Nothing listens while both instances start.
    if (one.status === 0) await sleep(RETRY_MS);
  }
}

/** Each instance once, in mid-request. @param {World} opened @param {number} endMs */
async function killInstances(opened, endMs) {
  const pauseMs = (endMs - performance.now()) / 3;
  for (const n of [0, 1]) {
    await sleep(pauseMs);
    await opened.instance(n).stop('SIGKILL');
    await opened.restart(n);
  }
  return 2;
}

/** @param {World} opened @param {RunKey[]} trees @param {number} endMs */
async function revokeBranches(opened, trees, endMs) {
  const revoked = { branches: 0, keys: 0, problems: /** @type {string[]} */ ([]) };
  while (performance.now() < endMs) {
    await sleep(REVOKE_EVERY_MS);
    const tree = pick(trees);
    const branch = random() < 0.3 ? tree : pick(tree.below);
    if (branch.deadSinceMs < performance.now()) continue;
    await revoke(opened, branch);
    const dead = branchOf(branch);
    const nowMs = performance.now();
    for (const key of dead) key.deadSinceMs = Math.min(key.deadSinceMs, nowMs);
    revoked.branches += 1;
    revoked.keys += dead.length;
    for (const { key } of dead.slice(0, REQUESTS_PER_REVOKED))
      for (const { origin } of opened.instances) {
        const { status, outcome } = await sendOne(`${origin}/v1/chat/completions`, {
          agent,
          key,
          isStream: false,
        });
        if (status !== 401 && status !== 0) revoked.problems.push(`a key of a revoked branch: ${outcome}`);
      }
  }
  return revoked;
}

/** An instance may be killed before it answers. @param {World} opened @param {RunKey} branch */
async function revoke(opened, { id, ordinary }) {
  for (;;) {
    const status = await fetch(`${opened.proxyUrl}/v1/keys/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ordinary}` },
    }).then(
      (response) => response.status,
      () => 0,
    );
    // 404: it was revoked by an attempt without an answer.
    if (status === 200 || status === 404) return;
    await sleep(RETRY_MS);
  }
}

/** @param {World} opened @param {Sent[]} sent */
async function judgeAll(opened, sent) {
  // What a key began before its end is cut off, and charged for what it produced.
  const cutOff = sent.filter(({ status, sentMs, key }) => status === 401 && sentMs < key.deadSinceMs);
  const { holdsSeconds, problems } = await judge(
    opened,
    sent.filter((one) => !cutOff.includes(one)),
  );
  console.log(`the last hold ended after ${holdsSeconds.toFixed(0)} s`);
  const served = sent.filter(
    ({ status, sentMs, key }) => sentMs > key.deadSinceMs && status > 0 && status < 400,
  );
  if (served.length > 0) problems.push(`${served.length} requests of revoked keys were served`);
  const [budgets] = await query({ pid: 0, url: opened.databaseUrl }, BUDGETS);
  console.log(
    `${budgets.keys} budgets of run keys (${budgets.used_up} used up), ${budgets.runs} runs, ${budgets.charged} credits charged`,
  );
  if (budgets.passed > 0) problems.push(`${budgets.passed} budgets are passed`);
  return [...problems, ...findPassedRuns(sent)];
}

/** What receipts say, apart from what budgets count. */
const BUDGETS = `
  WITH charged AS (
    SELECT n.id, sum(u.charge) AS charge FROM usage u JOIN user_key k ON k.id = u.key_id
    CROSS JOIN unnest(k.lineage[2:]) AS n (id) GROUP BY 1)
  SELECT count(*) FILTER (WHERE b.id NOT LIKE 'run:%')::int AS keys,
    count(*) FILTER (WHERE b.id NOT LIKE 'run:%' AND b.credits - b.spent < ${0.02 * MICRO})::int AS used_up,
    count(*) FILTER (WHERE b.id LIKE 'run:%')::int AS runs,
    count(*) FILTER (WHERE greatest(c.charge, b.spent) > b.credits)::int AS passed,
    (SELECT round(sum(charge) / ${MICRO}, 2)::float8 FROM usage) AS charged
  FROM budget b LEFT JOIN charged c USING (id)`;

/** By what the responses reported. @param {Sent[]} sent */
function findPassedRuns(sent) {
  /** @type {Map<string, number>} */
  const charged = new Map();
  for (const { run, charged: charge } of sent)
    if (run !== null) charged.set(run, (charged.get(run) ?? 0) + (charge ?? 0));
  const passed = [...charged].filter(([, sum]) => sum > RUN_CREDITS * MICRO);
  return passed.length === 0 ? [] : [`${passed.length} runs passed their ceiling`];
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
  await runKeys();
} finally {
  await cleanUp();
}
