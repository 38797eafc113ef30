// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../scripts/read-options.mjs';
import { buildAll, enterProject } from '../../scripts/steps.mjs';
import { ROOT, stopServers } from '../bench/servers.mjs';
import { Cluster } from '../failover/cluster.mjs';
import { FAULTS } from './list.mjs';
import { OVERLOADS, streamsNeed } from './open-streams.mjs';
import { startSteadyLoad } from './steady-load.mjs';
import { judge } from './verdict.mjs';
import { World } from './world.mjs';

/**
 * `npm run faults`: breaks one thing after the other under a steady paid load, and prints what clients saw, how long
 * the service took to recover, and whether the books agree with what clients saw.
 *
 * @typedef {import('./list.mjs').Fault} Fault
 * @typedef {import('./steady-load.mjs').Seen} Seen
 */

const HELP = `npm run faults -- [options]

  --only LIST      faults whose names begin with one of these, separated by commas:
                   ${[...Object.keys(FAULTS), ...Object.keys(OVERLOADS)].join(', ')}
  --requests N     requests per second (60)
  --streams N      streams per second, of two seconds each (8)

Exit code 1 if a promise is broken.`;

const LEAD_IN_MS = 3_000;
/** The load continues for so long after the service should have recovered. */
const CALM_MS = 4_000;
const HEADER = ['fault', 'sent', 'what clients saw', 'recovered', 'holds settled', 'books'];

const values = readOptions({
  only: { type: 'string', default: '' },
  requests: { type: 'string', default: '60' },
  streams: { type: 'string', default: '8' },
  help: { type: 'boolean', default: false },
});
const dataDir = path.join(ROOT, '.data/faults', `run-${process.pid}`);
/** @type {World | undefined} */
let shared;
/** @type {World | undefined} */
let clustered;

async function runAll() {
  if (values.help) return console.log(HELP);
  enterProject();
  await buildAll();
  const isChosen = (/** @type {[string, unknown]} */ [name]) =>
    values.only.split(',').some((each) => name.startsWith(each));
  const chosen = Object.entries(FAULTS).filter(isChosen);
  const overloads = Object.entries(OVERLOADS).filter(isChosen);
  if (chosen.length + overloads.length === 0) throw new Error(`--only: no such fault\n\n${HELP}`);
  console.log(`| ${HEADER.join(' | ')} |\n|${HEADER.map(() => '---').join('|')}|`);
  let broken = 0;
  for (const [name, fault] of chosen) {
    if (fault.needs !== undefined) console.log(`| ${fault.title} | skipped: needs ${fault.needs} | | | | |`);
    else broken += (await runOne(name, fault)).length;
  }
  for (const [name, { title, run }] of overloads) {
    if (streamsNeed !== undefined) console.log(`| ${title} | skipped: needs ${streamsNeed} | | | | |`);
    else broken += (await runOverload(name, title, run)).length;
  }
  process.exitCode = broken === 0 ? 0 : 1;
}

/** @param {string} name @param {Fault} fault */
async function runOne(name, fault) {
  if (fault.megabytes !== undefined) return onSmallDisk(name, fault, fault.megabytes);
  if (fault.onCluster) return report(name, fault, await measure(await onCluster(), fault));
  shared ??= await World.open({ dataDir });
  return report(name, fault, await measure(shared, fault));
}

/** PostgreSQL's account must be able to enter the folder. */
async function onCluster() {
  const folder = path.join(tmpdir(), `svc-cluster-${process.pid}`);
  clustered ??= await World.open({ dataDir: `${dataDir}-cluster`, cluster: await Cluster.open(folder) });
  return clustered;
}

/** @param {string} name @param {Fault} fault @param {number} megabytes */
async function onSmallDisk(name, fault, megabytes) {
  const folder = `${dataDir}-small`;
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'svc-faults', folder]);
  try {
    const world = await World.open({ dataDir: path.join(folder, 'data') });
    try {
      return report(name, fault, await measure(world, fault));
    } finally {
      await world.close();
    }
  } finally {
    execFileSync('umount', [folder]);
    execFileSync('rmdir', [folder]);
  }
}

/** @param {string} name @param {string} title @param {(world: World) => Promise<import('./open-streams.mjs').Outcome>} run */
async function runOverload(name, title, run) {
  shared ??= await World.open({ dataDir });
  const { seen, noted, problems } = await run(shared);
  const judged = await judge(shared, seen);
  const broken = [...problems, ...judged.problems];
  print(broken, [
    `${title} (\`${name}\`)`,
    `${seen.length} streams`,
    `${countOutcomes(seen)}; ${noted}`,
    '',
    `${judged.holdsSeconds.toFixed(1)} s`,
    judged.problems.length === 0 ? 'agree' : 'DIFFER',
  ]);
  await shared.restart(0);
  return broken;
}

/** @param {World} world @param {Fault} fault */
async function measure(world, fault) {
  const load = startSteadyLoad({
    url: world.proxyUrl,
    keys: world.keys,
    requestsPerSecond: Number(values.requests),
    streamsPerSecond: Number(values.streams),
  });
  await sleep(LEAD_IN_MS);
  /** @type {string[]} */
  const broken = [];
  const noted = await fault.inject(world).catch((error) => void broken.push(error.message));
  const overMs = performance.now();
  await fault.afterwards?.(world);
  const leftMs = overMs + fault.recoverSeconds * 1_000 - performance.now();
  await sleep(Math.max(0, leftMs) + CALM_MS);
  await load.end();
  const { holdsSeconds, problems } = await judge(world, load.seen);
  return { seen: load.seen, overMs, noted, holdsSeconds, problems: [...broken, ...problems] };
}

/** @param {string} name @param {Fault} fault @param {Awaited<ReturnType<typeof measure>>} measured */
function report(name, fault, { seen, overMs, noted, holdsSeconds, problems }) {
  const failed = seen.filter((one) => one.outcome !== 'ok');
  const recoveredSeconds = Math.max(0, ...failed.map((one) => (one.sentMs - overMs) / 1_000));
  const longestSeconds = Math.max(...seen.map((one) => (one.endedMs - one.sentMs) / 1_000));
  const gapSeconds = longestGap(seen);
  const unexpected = failed.filter((one) => !(fault.allowed ?? []).includes(one.outcome));
  const broken = [
    ...problems,
    ...(unexpected.length === 0 ? [] : [`clients saw ${countOutcomes(unexpected)}`]),
    ...(recoveredSeconds <= fault.recoverSeconds
      ? []
      : [`requests failed ${recoveredSeconds.toFixed(1)} s after the fault`]),
    ...(gapSeconds <= (fault.longestGapSeconds ?? Number.POSITIVE_INFINITY)
      ? []
      : [`no request succeeded for ${gapSeconds.toFixed(1)} s`]),
    ...(longestSeconds <= fault.longestSeconds ? [] : [`a request took ${longestSeconds.toFixed(1)} s`]),
  ];
  const streams = seen.filter((one) => one.isStream).length;
  print(broken, [
    `${fault.title} (\`${name}\`)`,
    `${seen.length - streams} + ${streams} streams`,
    `${countOutcomes(seen)}; longest ${longestSeconds.toFixed(1)} s, none for ${gapSeconds.toFixed(1)} s${noted === undefined ? '' : `; ${noted}`}`,
    `${recoveredSeconds.toFixed(1)} s`,
    `${holdsSeconds.toFixed(1)} s`,
    problems.length === 0 ? 'agree' : 'DIFFER',
  ]);
  return broken;
}

/** The longest time without a paid response. @param {Seen[]} seen */
function longestGap(seen) {
  const times = seen.filter((one) => one.outcome === 'ok' && !one.isStream).map(({ endedMs }) => endedMs);
  times.sort((one, other) => one - other);
  return Math.max(0, ...times.slice(1).map((endedMs, n) => endedMs - (times[n] ?? endedMs))) / 1_000;
}

/** @param {string[]} broken @param {string[]} cells */
function print(broken, cells) {
  console.log(`| ${cells.join(' | ')} |`);
  for (const problem of broken) console.error(`  broken: ${problem}`);
}

/** @param {Seen[]} seen */
function countOutcomes(seen) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { isStream, outcome } of seen) {
    const what = outcome === 'ok' ? 'ok' : `${outcome}${isStream ? ' (streams)' : ''}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return Object.entries(counts)
    .sort()
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

async function cleanUp() {
  await Promise.all([shared?.close(), clustered?.close()]);
  await stopServers();
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await cleanUp();
    process.exit(130);
  });
}
try {
  await runAll();
} finally {
  await cleanUp();
}
