// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { enterProject, installDependencies } from '../../scripts/steps.mjs';
import { canLimitCpu } from './cpu-limit.mjs';
import { measureFlush } from './disk.mjs';
import { LITELLM_VERSION } from './litellm.mjs';
import { HELP, readOptions } from './options.mjs';
import { readWrites } from './product-database.mjs';
import { checkBooks, startProducts } from './products.mjs';
import { judge, roundFigures, takeMedians, writeLoads, writeMeasures } from './report.mjs';
import { driveRounds, driveSteadily, startLoad, warmUp } from './rounds.mjs';
import {
  headersForPortkey,
  MODEL,
  OWN_KEY,
  PORTKEY_VERSION,
  ROOT,
  startLitellm,
  startMockUpstream,
  startPortkey,
  startRawProxy,
  stopServers,
} from './servers.mjs';
import { WORKLOADS } from './workloads.mjs';

/**
 * Drives every server in turn with the same load and compares the medians. See README.md.
 *
 * @typedef {import('./rounds.mjs').Target} Target
 * @typedef {import('./options.mjs').Options} Options
 * @typedef {import('./products.mjs').Installation} Installation
 */

const BUSY_ADVICE = 'read the ratios rather than the figures';

/** @type {(() => void)[]} clean-up to run when the servers have stopped */
const cleanUps = [];

async function cleanUp() {
  await stopServers();
  for (const undo of cleanUps.splice(0)) undo();
}

/** @param {Options} given @returns {Promise<boolean>} whether the books agree, and every goal was met if that is asked */
async function bench(given) {
  const options = { ...given, loads: given.loads.filter(canDrive) };
  const loadBefore = os.loadavg()[0] ?? 0;
  if (loadBefore > 1)
    console.log(`This machine is busy already (load ${loadBefore.toFixed(1)}): ${BUSY_ADVICE}`);
  const flush = measureFlush(options.data);
  console.log(
    `The disk makes a block durable in ${flush.p50Ms} ms (p50), ${flush.p99Ms} ms (p99); a request needs one flush, or two if it makes a hold`,
  );
  enterProject();
  await installDependencies({ dev: true });
  const upstream = await startMockUpstream();
  const installations = await startProducts(options, upstream.origin, (undo) => cleanUps.push(undo));
  const targets = [
    ...(await startOthers(options, upstream.origin)),
    ...installations.map(({ target }) => target),
  ];
  const { drive, stop } = startLoad();
  cleanUps.push(stop);
  const tallies = await tally(installations);
  const counted = countRequests(drive, tallies);

  await warmUp(targets, counted, options.loads);
  const results = takeMedians(await driveRounds(targets, counted, options));
  const problems = await checkAll(installations, tallies);
  const ours = installations.map(({ target }) => target);
  const steady = options.steady > 0 ? await driveSteadily(ours, counted, options.steady) : {};
  if (options.steady > 0) problems.push(...(await checkAll(installations, tallies)));

  const writes = await computeWrites(installations, tallies);
  const products = ours.map(({ name }) => name);
  const judged = judge({ results, steady, writes }, products);
  console.log(`\n${writeLoads(results, WORKLOADS)}\n\n${writeMeasures(judged, products)}\n`);
  console.log(
    `books: ${problems.length > 0 ? 'DO NOT AGREE' : products.length > 0 ? 'agree' : 'not checked'}`,
  );
  for (const problem of problems) console.error(problem);
  writeResults({
    date: new Date().toISOString(),
    node: process.version,
    cpu: {
      model: os.cpus()[0]?.model.trim() ?? 'unknown',
      cores: os.availableParallelism(),
      loadBefore: Number(loadBefore.toFixed(2)),
    },
    flush,
    settings: { ...options, model: MODEL, portkey: PORTKEY_VERSION, litellm: LITELLM_VERSION },
    results: roundFigures(results),
    steady,
    writes,
    measures: judged,
    problems,
  });
  return problems.length === 0 && !(options.assert && judged.some(({ met }) => met === false));
}

/** @param {string} load */
function canDrive(load) {
  const { title = '', limited = false } = WORKLOADS[load] ?? {};
  if (!limited || canLimitCpu()) return true;
  console.log(`Not measured: ${title}. Limiting the CPU of a process needs root on Linux`);
  return false;
}

/** @param {Options} options @param {string} upstreamOrigin @returns {Promise<Target[]>} */
async function startOthers({ servers }, upstreamOrigin) {
  /** @type {Target[]} */
  const targets = [];
  /** @param {'raw' | 'portkey' | 'litellm'} name @param {import('./servers.mjs').Server} server @param {Record<string, string>} headers */
  const add = (name, { origin, pid, lastOutput }, headers) =>
    targets.push({
      name,
      kind: name,
      origins: [origin],
      pids: pid === undefined ? [] : [pid],
      lastOutput,
      headers: [headers],
    });
  if (servers.includes('raw')) add('raw', await startRawProxy(upstreamOrigin), OWN_KEY);
  if (servers.includes('portkey')) add('portkey', await startPortkey(), headersForPortkey(upstreamOrigin));
  if (servers.includes('litellm')) add('litellm', await startLitellm(upstreamOrigin), OWN_KEY);
  return targets;
}

/**
 * What an installation had written before the load, and the responses that it has sent since.
 *
 * @typedef {{ name: string, requests: number, before: Awaited<ReturnType<typeof readWrites>> }} Tally
 * @param {Installation[]} installations @returns {Promise<Tally[]>}
 */
async function tally(installations) {
  return Promise.all(
    installations.map(async ({ target, database }) => ({
      name: target.name,
      requests: 0,
      before: await readWrites(database),
    })),
  );
}

/** @param {import('./rounds.mjs').Drive} drive @param {Tally[]} tallies @returns {import('./rounds.mjs').Drive} */
function countRequests(drive, tallies) {
  return async (target, workload, seconds) => {
    const measured = await drive(target, workload, seconds);
    const own = tallies.find(({ name }) => name === target.name);
    if (own !== undefined) own.requests += measured.requests;
    return measured;
  };
}

/** @param {Installation[]} installations @param {Tally[]} tallies @returns {Promise<string[]>} */
async function checkAll(installations, tallies) {
  const problems = [];
  for (const [index, installation] of installations.entries()) {
    const { before, requests } = /** @type {Tally} */ (tallies[index]);
    problems.push(...(await checkBooks(installation, { receipts: before.receipts, requests })));
  }
  return problems;
}

/** @param {Installation[]} installations @param {Tally[]} tallies */
async function computeWrites(installations, tallies) {
  /** @type {Record<string, import('./report.mjs').Writes>} */
  const writes = {};
  for (const [index, { target, database }] of installations.entries()) {
    const { before, requests } = /** @type {Tally} */ (tallies[index]);
    const after = await readWrites(database);
    writes[target.name] = {
      walBytes: Math.round((after.walBytes - before.walBytes) / requests),
      diskBytes: Math.round((after.diskBytes - before.diskBytes) / requests),
    };
  }
  return writes;
}

/** @param {object} report */
function writeResults(report) {
  const folder = path.join(ROOT, 'lab/bench/results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
}

/** @param {unknown} error */
const explain = (error) => console.error(error instanceof Error ? error.message : error);

async function stopAtOnce() {
  await cleanUp();
  process.exit(130);
}

async function main() {
  const options = readOptions();
  if (options.help) return console.log(HELP);
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      stopping = true;
      stopAtOnce().catch(explain);
    });
  }
  try {
    process.exitCode = (await bench(options)) ? 0 : 1;
  } catch (error) {
    if (!stopping) throw error;
  } finally {
    await cleanUp();
  }
}

main().catch((error) => {
  explain(error);
  process.exitCode = 1;
});
