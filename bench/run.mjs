// @ts-check
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  buildPages,
  buildWidget,
  bundleCommands,
  bundleServer,
  enterProject,
  generateClient,
  installDependencies,
} from '../scripts/steps.mjs';
import { makeFundedKeys, runCommand } from './funded-keys.mjs';
import { HELP, readOptions } from './options.mjs';
import {
  computeAddedLatency,
  computeRatios,
  judgeGoals,
  printReport,
  roundFigures,
  takeMedians,
} from './report.mjs';
import { driveRounds, shareOutSeconds, startLoad } from './rounds.mjs';
import {
  headersForPortkey,
  MODEL,
  ROOT,
  readPortkeyVersion,
  startMockUpstream,
  startPortkey,
  startProduct,
  startRawProxy,
  stopServers,
} from './servers.mjs';
import { WORKLOADS } from './workloads.mjs';

/**
 * Drives every server in turn with the same load and compares the medians. See README.md.
 *
 * @typedef {import('./rounds.mjs').Target} Target
 * @typedef {import('./options.mjs').Options} Options
 */

const BUSY_ADVICE = 'read the ratios rather than the figures';

/** @type {(() => void)[]} clean-up to run when the servers have stopped */
const cleanUps = [];

async function cleanUp() {
  await stopServers();
  for (const undo of cleanUps.splice(0)) undo();
}

/** @param {Options} options @returns {Promise<boolean>} whether every goal was met */
async function bench(options) {
  const loadBefore = os.loadavg()[0] ?? 0;
  if (loadBefore > 1)
    console.log(`This machine is busy already (load ${loadBefore.toFixed(1)}): ${BUSY_ADVICE}`);
  await setUp(options.servers);
  const upstream = await startMockUpstream();
  const { targets, product } = await startTargets(options, upstream.origin);
  const { drive, stop } = startLoad();
  cleanUps.push(stop);
  const cellSeconds = shareOutSeconds(options);

  const rounds = await driveRounds(targets, drive, options.rounds, cellSeconds);
  const agrees = product === undefined ? null : await checkLedger(product.env);

  const results = takeMedians(rounds);
  const ratios = computeRatios(results);
  const goals = judgeGoals(ratios);
  const addedLatency = computeAddedLatency(results);
  printReport({ workloads: WORKLOADS, results, ratios, addedLatency, goals, agrees });
  writeResults({
    date: new Date().toISOString(),
    node: process.version,
    cpu: {
      model: os.cpus()[0]?.model.trim() ?? 'unknown',
      cores: os.availableParallelism(),
      loadBefore: Number(loadBefore.toFixed(2)),
    },
    rounds: options.rounds,
    settings: {
      seconds: options.seconds,
      cellSeconds,
      users: options.users,
      model: MODEL,
      portkey: readPortkeyVersion(),
    },
    results: roundFigures(results),
    ratios,
    addedLatency,
    ledgerAgrees: agrees,
  });
  return agrees !== false && !(options.assert && goals.some(({ met }) => !met));
}

/** Does what `npm start` would do, for the server and for operator commands. @param {string[]} servers */
async function setUp(servers) {
  enterProject();
  await installDependencies({ dev: true });
  if (!servers.includes('svc')) return;
  await generateClient();
  await buildWidget();
  await buildPages();
  await bundleServer();
  await bundleCommands();
}

/** @param {Options} options @param {string} upstreamOrigin */
async function startTargets({ servers, users }, upstreamOrigin) {
  /** @type {Target[]} */
  const targets = [];
  if (servers.includes('raw')) {
    const server = await startRawProxy(upstreamOrigin);
    targets.push({ ...server, name: 'raw', headers: [{ authorization: 'Bearer sk-bench' }] });
  }
  if (servers.includes('portkey')) {
    const server = await startPortkey();
    targets.push({ ...server, name: 'portkey', headers: [headersForPortkey(upstreamOrigin)] });
  }
  if (!servers.includes('svc')) return { targets, product: undefined };

  console.log('Starting the product on an empty database');
  const product = await startProduct(upstreamOrigin, nameDataDir());
  console.log(`Making ${users} users with credits`);
  const keys = await makeFundedKeys(product, users);
  targets.push({ ...product, name: 'svc', headers: keys.map((key) => ({ authorization: `Bearer ${key}` })) });
  return { targets, product };
}

/** The product makes it, with the rights that its database needs. */
function nameDataDir() {
  const dataDir = path.join(ROOT, '.data/bench', `run-${process.pid}`);
  cleanUps.push(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** @param {Record<string, string>} env */
async function checkLedger(env) {
  try {
    await runCommand(env, ['ledger', 'check']);
    return true;
  } catch (error) {
    console.error(error instanceof Error && 'stdout' in error ? `${error.stdout}${error.message}` : error);
    return false;
  }
}

/** @param {object} report */
function writeResults(report) {
  const folder = path.join(ROOT, 'bench/results');
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
