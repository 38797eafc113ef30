// @ts-check
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { writeSession } from './agent-session.mjs';
import { limitCpu } from './cpu-limit.mjs';
import { findChildren, readCpuMs, waitUntilIdle } from './process-tree.mjs';
import { count } from './report.mjs';
import { MODEL } from './servers.mjs';
import { LIMITED_CORES, STEADY, WARM_UP, WORKLOADS, workloadsOf, writeBody } from './workloads.mjs';

/**
 * @typedef {import('./workloads.mjs').Workload} Workload
 *
 * @typedef {object} Target a server under test
 * @property {string} name
 * @property {import('./workloads.mjs').Kind} kind
 * @property {string[]} origins of one instance, and of two
 * @property {number[]} pids its processes, one for each instance, and then its database: their descendants count too
 * @property {() => string} lastOutput
 * @property {Record<string, string>[]} headers one set per user
 *
 * @typedef {import('./load.mjs').Figures & { cpuMs: number }} Measured `cpuMs` is per request
 * @typedef {(target: Target, workload: Workload, seconds: number) => Promise<Measured>} Drive
 */

/**
 * The servers take turns within a round, and another one begins each round, so that whatever
 * disturbs the machine for a while disturbs them all.
 *
 * @param {Target[]} targets @param {Drive} drive @param {import('./options.mjs').Options} options
 */
export async function driveRounds(targets, drive, { rounds, seconds, loads }) {
  /** @type {import('./report.mjs').Rounds} */
  const figures = Object.fromEntries(targets.map(({ name }) => [name, {}]));
  if (rounds > 0) console.log(`${rounds} × ${seconds} s for each server and load`);
  for (let round = 0; round < rounds; round += 1) {
    const first = round % targets.length;
    const order = [...targets.slice(first), ...targets.slice(0, first)];
    for (const name of loads) {
      const workload = /** @type {Workload} */ (WORKLOADS[name]);
      const results = [];
      for (const target of order.filter(({ kind }) => workload.kinds.includes(kind))) {
        const measured = await drive(target, workload, seconds);
        const own = figures[target.name] ?? {};
        own[name] = [...(own[name] ?? []), measured];
        results.push(`${target.name} ${count(measured.rps)}/s ${measured.cpuMs.toFixed(3)} ms`);
      }
      if (results.length > 0)
        console.log(`round ${round + 1}/${rounds}  ${workload.title}: ${results.join(', ')}`);
    }
  }
  return figures;
}

/** Before the loads, with one of each sort that they contain. @param {Target[]} targets @param {Drive} drive @param {string[]} loads */
export async function warmUp(targets, drive, loads) {
  const needed = Object.entries(WARM_UP).filter(([name]) => loads.some((load) => isLike(load, name)));
  for (const target of targets)
    for (const [name, seconds] of needed)
      for (const [, workload] of workloadsOf(target.kind, [name])) await drive(target, workload, seconds);
}

/** Whether two loads run the same code in the same instances. @param {string} load @param {string} other */
function isLike(load, other) {
  const [one, two] = [WORKLOADS[load], WORKLOADS[other]];
  return (
    one?.stream === two?.stream &&
    one?.twoInstances === two?.twoInstances &&
    one?.agent?.format === two?.agent?.format
  );
}

/**
 * One long load for each installation of this product, so that its background work runs too.
 *
 * @param {Target[]} targets @param {Drive} drive @param {number} seconds
 */
export async function driveSteadily(targets, drive, seconds) {
  /** @type {Record<string, Measured>} */
  const measured = {};
  const workload = /** @type {Workload} */ (WORKLOADS[STEADY]);
  for (const target of targets) {
    console.log(`${target.name}: ${seconds} s of steady load with ${workload.title}`);
    const figures = await drive(target, workload, seconds);
    console.log(`  requests/s in each 5 s: ${figures.samples.map((each) => count(each / 5)).join(' ')}`);
    measured[target.name] = figures;
  }
  return measured;
}

/**
 * The load generator is a separate process that runs one job after another.
 *
 * @returns {{ drive: Drive, stop: () => void }}
 */
export function startLoad() {
  const load = fork(fileURLToPath(new URL('load.mjs', import.meta.url)));
  /** @type {(() => void)[]} */
  const limits = [];
  const liftLimits = () => {
    for (const lift of limits.splice(0)) lift();
  };
  /** @type {Drive} */
  const drive = async (target, workload, seconds) => {
    const [one = 0, primary = 0] = target.pids;
    const instances = workload.twoInstances ? findChildren(primary) : [one];
    for (const pid of workload.limited ? instances : []) limits.push(limitCpu(pid, LIMITED_CORES));
    return measure(target, workload, seconds).finally(liftLimits);
  };
  /** @type {Drive} */
  const measure = async (target, workload, seconds) => {
    const before = readCpuMs(target.pids);
    const answered = new Promise((resolve, reject) => {
      load.once('message', resolve);
      load.once('exit', () => reject(new Error('the load generator ended')));
    });
    load.send(writeJob(target, workload, seconds));
    const outcome = /** @type {import('./load.mjs').Outcome} */ (
      await answered.finally(() => load.removeAllListeners())
    );
    if ('failure' in outcome)
      throw new Error(`${target.name} failed under load: ${outcome.failure}\n${target.lastOutput()}`.trim());
    await waitUntilIdle(target.pids);
    const cpuMs = (readCpuMs(target.pids) - before) / outcome.figures.requests;
    return { ...outcome.figures, cpuMs };
  };
  const stop = () => {
    liftLimits();
    if (load.connected) load.disconnect();
  };
  return { drive, stop };
}

/** @param {Target} target @param {Workload} workload @param {number} seconds @returns {import('./load.mjs').Job} */
function writeJob({ origins, headers }, workload, seconds) {
  const { connections, stream = false, oneUser, twoInstances, agent } = workload;
  return {
    origins: twoInstances ? origins.slice(1) : origins.slice(0, 1),
    path: PATHS[agent?.format ?? 'chat'],
    connections,
    seconds,
    bodies: agent === undefined ? [writeBody(stream)] : writeSession({ model: MODEL, stream, ...agent }),
    headers: (oneUser ? headers.slice(0, 1) : headers).map((own) => ({
      'content-type': 'application/json',
      ...own,
    })),
    expected: stream ? ENDS[agent?.format ?? 'chat'] : '"usage"',
  };
}

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' };
/** What the last event of a stream contains. */
const ENDS = { chat: 'data: [DONE]', messages: 'message_stop', responses: 'response.completed' };
