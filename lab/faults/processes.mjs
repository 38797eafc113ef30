// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** @param {number} pid */
export function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readParent(name) === pid)
    .map(Number);
}

/** @param {string} pid */
function readParent(pid) {
  const file = `/proc/${pid}/status`;
  try {
    return existsSync(file) ? Number(/^PPid:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]) : 0;
  } catch {
    // It has ended since.
    return 0;
  }
}

/** Stops processes for a while, as a machine that swaps or a disk that does not answer. @param {number[]} pids @param {number} ms */
export async function freeze(pids, ms) {
  signalAll(pids, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    signalAll(pids, 'SIGCONT');
  }
}

/** @param {number[]} pids @param {NodeJS.Signals} signal */
export function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended since.
    }
  }
}
