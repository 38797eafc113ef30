// @ts-check
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeze } from '../faults/processes.mjs';
import { ETCD, HAPROXY, kill, processesOf } from './cluster.mjs';
import { IS_OLD, PATRONI } from './settings.mjs';

/**
 * What happens to a machine of the database while another one takes over.
 *
 * @typedef {import('../faults/list.mjs').Fault} Fault
 * @typedef {import('../faults/world.mjs').World} World
 * @typedef {import('./cluster.mjs').Cluster} Cluster
 */

/** Longer than it takes until another machine is the primary. */
const AWAY_MS = 40_000;
/** Patroni 4 waits for 20 seconds until it takes a machine for dead. */
const RESUMED_SECONDS = IS_OLD ? 15 : 30;

const missing = [ETCD, PATRONI, HAPROXY].filter((program) => spawnSync(program, ['--help']).error);

/**
 * @param {string} title @param {(cluster: Cluster) => Promise<void>} harm
 * @param {(cluster: Cluster) => void} [repair]
 * @returns {Fault}
 */
const fault = (title, harm, repair) => ({
  title,
  ...(missing.length > 0 && { needs: missing.join(', ') }),
  onCluster: true,
  inject: ({ cluster }) => harm(clusterOf(cluster)),
  afterwards: async ({ cluster }) => {
    repair?.(clusterOf(cluster));
    await clusterOf(cluster).untilHealthy();
  },
  allowed: ['busy'],
  recoverSeconds: RESUMED_SECONDS,
  longestGapSeconds: RESUMED_SECONDS,
  // Its admission waits for the new primary, and so does its settlement.
  longestSeconds: 2 * RESUMED_SECONDS,
});

/** @type {Record<string, Fault>} */
export const FAILOVERS = {
  'failover-kill': fault(
    'the machine of the primary dies (kill -9), and returns after 40 s',
    async (cluster) => lose(await cluster.find('leader')),
    bootAll,
  ),
  'failover-freeze': fault(
    'the machine of the primary does not respond for 40 s (SIGSTOP)',
    async (cluster) => freeze(processesOf(await cluster.find('leader')), AWAY_MS),
  ),
  'failover-cut-off': fault('the primary does not reach etcd for 40 s', async (cluster) => {
    const { network } = await cluster.find('leader');
    for (const relay of network) relay.cut(true);
    await sleep(AWAY_MS);
    for (const relay of network) relay.cut(false);
  }),
  'failover-switch': fault('an operator makes the standby the primary', (cluster) => cluster.switchOver()),
  'failover-standby': fault(
    'the machine of the synchronous standby dies (kill -9), and returns after 40 s',
    async (cluster) => lose(await cluster.find('sync_standby')),
    bootAll,
  ),
};

/** @param {import('./cluster.mjs').Machine} machine */
async function lose(machine) {
  await kill(machine);
  await sleep(AWAY_MS);
}

/** @param {Cluster} cluster */
function bootAll(cluster) {
  for (const machine of cluster.machines) if (machine.running.length === 0) cluster.boot(machine);
}

/** @param {Cluster | undefined} cluster */
function clusterOf(cluster) {
  if (cluster === undefined) throw new Error('the world has no cluster');
  return cluster;
}
