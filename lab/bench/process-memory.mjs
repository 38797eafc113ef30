// @ts-check
import { readdirSync, readFileSync } from 'node:fs';

/** Memory and open files of processes, from Linux's `/proc`. Processes that have ended count as nothing. */

const KB_PER_MB = 1024;

/** Resident memory in MB: with `RssAnon`, without what is shared or mapped. @param {number[]} pids @param {'VmRSS' | 'RssAnon'} [field] */
export function readMemoryMb(pids, field = 'VmRSS') {
  return sum(
    pids,
    (pid) =>
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) /
      KB_PER_MB,
  );
}

/** Files, sockets and pipes. @param {number[]} pids */
export function countOpenFiles(pids) {
  return sum(pids, (pid) => readdirSync(`/proc/${pid}/fd`).length);
}

/** @param {number[]} pids @param {(pid: number) => number} read */
function sum(pids, read) {
  return pids.reduce((total, pid) => {
    try {
      return total + read(pid);
    } catch {
      return total;
    }
  }, 0);
}
