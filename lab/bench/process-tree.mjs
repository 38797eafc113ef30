// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The CPU time of processes and of all their descendants, from Linux's `/proc`. Elsewhere it is not measured.
 */

/** Linux reports CPU time in hundredths of a second on every common architecture. */
const TICK_MS = 10;
/** A server that works less than this in `IDLE_CHECK_MS` has nothing left to do for the requests before. */
const IDLE_CPU_MS = 10;
const IDLE_CHECK_MS = 100;
const IDLE_PATIENCE_MS = 5_000;

export const measuresCpu = process.platform === 'linux';

/** User and system time since the processes started. @param {number[]} roots */
export function readCpuMs(roots) {
  if (!measuresCpu) return Number.NaN;
  const processes = new Map(listProcesses().map((each) => [each.pid, each]));
  let ticks = 0;
  for (const each of processes.values()) if (descends(each.pid, roots, processes)) ticks += each.ticks;
  return ticks * TICK_MS;
}

/** Waits until the servers have finished what they deferred. @param {number[]} roots */
export async function waitUntilIdle(roots) {
  if (!measuresCpu) return;
  let before = readCpuMs(roots);
  for (let waitedMs = 0; waitedMs < IDLE_PATIENCE_MS; waitedMs += IDLE_CHECK_MS) {
    await sleep(IDLE_CHECK_MS);
    const after = readCpuMs(roots);
    if (after - before <= IDLE_CPU_MS) return;
    before = after;
  }
}

/** @param {number} pid */
export const findChildren = (pid) =>
  listProcesses().flatMap((each) => (each.parent === pid ? [each.pid] : []));

/** @typedef {{ pid: number, parent: number, ticks: number }} Process */

/** @returns {Process[]} */
function listProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));
}

/** Its own time and that of its children that have ended. @param {number} pid @returns {Process[]} */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything; state, parent and so on follow it.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    return [{ pid, parent, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) }];
  } catch {
    // It has ended since the folder was read.
    return [];
  }
}

/** @param {number} pid @param {number[]} roots @param {Map<number, Process>} processes */
function descends(pid, roots, processes) {
  for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (roots.includes(at)) return true;
  return false;
}
