// @ts-check
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Limits processes to a share of a core, to compare servers on a machine that is too small for all of them. This needs
 * the control groups of Linux, of either version, and the right to make some, which usually only root has.
 */

const GROUPS = '/sys/fs/cgroup';
/** Shorter than most requests take under load, so that none waits for long. */
const PERIOD_US = 5_000;

/** How the two versions write a limit, and which line of `/proc/<pid>/cgroup` says where a process is. */
const V1 = {
  root: path.join(GROUPS, 'cpu'),
  line: /^\d+:(?:\w+,)*cpu(?:,\w+)*:(.*)$/m,
  /** @param {number} quotaUs @returns {[file: string, text: string][]} */
  write: (quotaUs) => [
    ['cpu.cfs_period_us', String(PERIOD_US)],
    ['cpu.cfs_quota_us', String(quotaUs)],
  ],
};
const V2 = {
  root: GROUPS,
  line: /^0::(.*)$/m,
  /** @param {number} quotaUs @returns {[file: string, text: string][]} */
  write: (quotaUs) => [['cpu.max', `${quotaUs} ${PERIOD_US}`]],
};
const version = existsSync(path.join(GROUPS, 'cgroup.controllers')) ? V2 : V1;

/**
 * Its threads share the limit. Processes that it has started are not limited.
 *
 * @param {number} pid @param {number} cores such as 0.5
 * @returns {() => void} removes the limit
 */
export function limitCpu(pid, cores) {
  const home = findGroup(pid);
  const group = path.join(version.root, `svc-bench-${pid}`);
  mkdirSync(group);
  const lift = () => {
    if (existsSync(`/proc/${pid}`)) move(pid, home);
    rmdirSync(group);
  };
  try {
    for (const [file, text] of version.write(Math.round(PERIOD_US * cores)))
      writeFileSync(path.join(group, file), text);
    move(pid, group);
  } catch (error) {
    lift();
    throw error;
  }
  return lift;
}

export function canLimitCpu() {
  try {
    limitCpu(process.pid, 1)();
    return true;
  } catch {
    return false;
  }
}

/** @param {number} pid */
function findGroup(pid) {
  const [, name = ''] = version.line.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8')) ?? [];
  return path.join(version.root, name);
}

/** @param {number} pid @param {string} group */
const move = (pid, group) => writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
