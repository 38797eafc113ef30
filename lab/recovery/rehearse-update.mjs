// @ts-check
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../scripts/read-options.mjs';
import { enterProject } from '../../scripts/steps.mjs';
import { buildIn, checkOut } from '../bench/revision.mjs';
import { ROOT, stopServers } from '../bench/servers.mjs';
import { startSteadyLoad } from '../faults/steady-load.mjs';
import { judge } from '../faults/verdict.mjs';
import { World } from '../faults/world.mjs';
import { testOnOurSchema } from './test-on-our-schema.mjs';

/**
 * `npm run rehearse-update`: replaces the instances of an earlier revision by those of this checkout, one by one and
 * under a paid load, and goes back again. Both work on one database, whose schema and functions are the newer ones
 * from the first new instance on. Then the tests of the earlier revision run on that schema.
 */

/** Every statement of the API, the ledger and the checkout. */
const TESTS = 'tests/gateway/api,tests/ledger,tests/payments/checkout';

const HELP = `npm run rehearse-update -- [options]

  --from REV       the revision to update from: a commit, or a directory with a checkout (the latest tag, or else the
                   previous commit)
  --requests N     requests per second (40)
  --streams N      streams per second, of two seconds each (6)
  --tests LIST     which tests of the earlier revision run on the new schema, separated by commas
                   (${TESTS}); "none" leaves them out

Exit code 1 if a request or stream fails, if an old instance is not ready on the new schema, if the books do not
agree, or if a test fails.`;

const INSTANCES = 2;
const BETWEEN_MS = 3_000;
const POLL_MS = 200;

const values = readOptions({
  from: { type: 'string' },
  requests: { type: 'string', default: '40' },
  streams: { type: 'string', default: '6' },
  tests: { type: 'string', default: TESTS },
  help: { type: 'boolean', default: false },
});
/** @type {World | undefined} */
let world;

async function rehearse() {
  if (values.help) return console.log(HELP);
  enterProject();
  const from = values.from ?? findReleased();
  console.log(`Updating from ${from}, and back`);
  const old = checkOut(from);
  await buildIn(ROOT);
  await buildIn(old);
  world = await World.open({
    dataDir: path.join(ROOT, '.data/update', `run-${process.pid}`),
    root: old,
    instances: INSTANCES,
    spareInstances: INSTANCES,
  });
  const health = watchReadiness(world);
  const load = startSteadyLoad({
    url: world.proxyUrl,
    keys: world.keys,
    requestsPerSecond: Number(values.requests),
    streamsPerSecond: Number(values.streams),
  });
  await sleep(BETWEEN_MS);
  await replace(world, health, [0, 1], { by: [2, 3], root: ROOT });
  const atRollOver = load.seen.length;
  await replace(world, health, [2, 3], { by: [0, 1], root: old });
  await load.end();
  await health.end();
  const { problems } = await judge(world, load.seen);
  const failed = load.seen.filter((one) => one.outcome !== 'ok');
  if (failed.length > 0)
    problems.push(`${failed.length} requests failed, such as with ${failed[0]?.outcome}`);
  problems.push(...health.problems);
  const streams = load.seen.filter((one) => one.isStream).length;
  console.log(
    `${load.seen.length - streams} requests and ${streams} streams, ${atRollOver} of them until the update was complete: ` +
      `${failed.length} failed. ${health.polls()} answers of /readyz: ${health.problems.length} not ready.`,
  );
  console.log(problems.length === 0 ? 'books: agree' : 'BROKEN');
  if (values.tests !== 'none' && !(await testOnOurSchema(old, values.tests.split(','))))
    problems.push(`tests of ${from} fail on the new schema`);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/**
 * Starts one instance, stops one of the other revision, and so on.
 *
 * @param {World} opened @param {ReturnType<typeof watchReadiness>} health
 * @param {number[]} leaving @param {{ by: number[], root: string }} others
 */
async function replace(opened, health, leaving, { by, root }) {
  for (const [n, slot] of by.entries()) {
    await opened.restart(slot, {}, root);
    health.add(slot);
    // The instances that remain run next to the new one for a while.
    await sleep(BETWEEN_MS);
    const left = leaving[n] ?? 0;
    health.remove(left);
    await opened.instance(left).stop();
    await sleep(BETWEEN_MS);
  }
}

/** Asks every instance that should serve requests whether it can. @param {World} opened */
function watchReadiness(opened) {
  const slots = new Set(Array.from({ length: INSTANCES }, (_, n) => n));
  /** @type {string[]} */
  const problems = [];
  let polls = 0;
  let isOver = false;
  const ask = async (/** @type {number} */ slot) => {
    const response = await fetch(`${opened.instance(slot).origin}/readyz`).catch((error) => error);
    polls += 1;
    // It may have been stopped since.
    if (!slots.has(slot) || response.status === 200) return;
    problems.push(`instance ${slot} was not ready: ${response.status ?? response}`);
  };
  const watching = (async () => {
    while (!isOver) {
      await Promise.all([...slots].map(ask));
      await sleep(POLL_MS);
    }
  })();
  return {
    problems,
    polls: () => polls,
    add: (/** @type {number} */ slot) => void slots.add(slot),
    remove: (/** @type {number} */ slot) => void slots.delete(slot),
    end: async () => {
      isOver = true;
      await watching;
    },
  };
}

/** Nothing may be released yet. */
function findReleased() {
  try {
    return git('describe', '--tags', '--abbrev=0', 'HEAD~1');
  } catch {
    return git('rev-parse', 'HEAD~1');
  }
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', ['-C', ROOT, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
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
  await rehearse();
} finally {
  await cleanUp();
}
