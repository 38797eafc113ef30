// @ts-check
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { count } from './report.mjs';
import { WARM_UP, WORKLOADS, workloadsOf, writeBody } from './workloads.mjs';

/**
 * @typedef {import('./workloads.mjs').Workload} Workload
 * @typedef {{ name: string, origin: string, lastOutput: () => string, headers: Record<string, string>[] }} Target
 * @typedef {(target: Target, workload: Workload, seconds: number) => Promise<import('./load.mjs').Figures>} Drive
 */

const MINIMUM_CELL_SECONDS = 1;

/** The number of seconds for which each server receives each load. @param {import('./options.mjs').Options} options */
export function shareOutSeconds({ seconds, rounds, servers }) {
  const cells = servers.flatMap((server) => [
    ...workloadsOf(server, WARM_UP),
    ...Array(rounds).fill(workloadsOf(server)).flat(),
  ]).length;
  return Math.max(MINIMUM_CELL_SECONDS, Math.floor((seconds / cells) * 10) / 10);
}

/**
 * The servers take turns within a round, and another one begins each round, so that whatever
 * disturbs the machine for a while disturbs them all.
 *
 * @param {Target[]} targets @param {Drive} drive @param {number} rounds @param {number} seconds
 */
export async function driveRounds(targets, drive, rounds, seconds) {
  console.log(`Warming up, then ${rounds} × ${seconds} s for each server and load`);
  for (const target of targets) {
    for (const [, workload] of workloadsOf(target.name, WARM_UP)) await drive(target, workload, seconds);
  }
  /** @type {import('./report.mjs').Rounds} */
  const figures = Object.fromEntries(targets.map(({ name }) => [name, {}]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % targets.length;
    const order = [...targets.slice(first), ...targets.slice(0, first)];
    for (const [name, workload] of Object.entries(WORKLOADS)) {
      const results = [];
      for (const target of order.filter((each) => workload.servers.includes(each.name))) {
        const measured = await drive(target, workload, seconds);
        const own = figures[target.name] ?? {};
        own[name] = [...(own[name] ?? []), measured];
        results.push(`${target.name} ${count(measured.rps)}/s`);
      }
      if (results.length > 0)
        console.log(`round ${round + 1}/${rounds}  ${workload.title}: ${results.join(', ')}`);
    }
  }
  return figures;
}

/**
 * The load generator is a separate process that runs one job after another.
 *
 * @returns {{ drive: Drive, stop: () => void }}
 */
export function startLoad() {
  const load = fork(fileURLToPath(new URL('load.mjs', import.meta.url)));
  /** @type {Drive} */
  const drive = async (target, { connections, stream = false, oneUser = false }, seconds) => {
    /** @type {import('./load.mjs').Job} */
    const job = {
      url: `${target.origin}/v1/chat/completions`,
      connections,
      seconds,
      body: writeBody(stream),
      headers: (oneUser ? target.headers.slice(0, 1) : target.headers).map((own) => ({
        'content-type': 'application/json',
        ...own,
      })),
      expected: stream ? 'data: [DONE]' : '"usage"',
    };
    const answered = new Promise((resolve, reject) => {
      load.once('message', resolve);
      load.once('exit', () => reject(new Error('the load generator ended')));
    });
    load.send(job);
    const outcome = /** @type {import('./load.mjs').Outcome} */ (
      await answered.finally(() => load.removeAllListeners())
    );
    if ('figures' in outcome) return outcome.figures;
    throw new Error(`${target.name} failed under load: ${outcome.failure}\n${target.lastOutput()}`.trim());
  };
  return { drive, stop: () => void (load.connected && load.disconnect()) };
}
