// @ts-check

import { fail } from '../../scripts/steps.mjs';
import { readCpuMs } from '../bench/process-tree.mjs';
import { query } from '../bench/product-database.mjs';
import { startLoad } from '../bench/rounds.mjs';
import { WORKLOADS } from '../bench/workloads.mjs';

/**
 * Paid requests as in the benchmark, with the CPU of the service and of each node.
 *
 * @typedef {ReturnType<typeof openLoad>} Load
 */

const WARM_UP_SECONDS = 3;

/** Of the connections that paid requests wait for; they stay open. @param {import('./nodes.mjs').Node} node */
async function readLedgerMs(node) {
  const rows = await query(node, "SELECT pid FROM pg_stat_activity WHERE application_name = 'svc ledger'");
  return rows.length === 0 ? 0 : readCpuMs(rows.map(({ pid }) => pid));
}

/** @param {import('./nodes.mjs').Node[]} nodes @param {number} seconds */
export function openLoad(nodes, seconds) {
  const { drive, stop } = startLoad();
  const workload = WORKLOADS.c32 ?? fail('the load c32 is gone');
  /** @type {Record<string, string | number>[]} */
  const figures = [];
  return {
    stop,
    print: () => {
      console.log('\nCPU ms per request; of the nodes, with all their work, also in percent of one core:');
      console.table(figures);
    },

    /**
     * Returns the number of responses.
     *
     * @param {string} title @param {import('../bench/servers.mjs').Product} product @param {string[]} keys
     */
    drive: async (title, product, keys) => {
      console.log(title);
      const pids = [product.pid ?? 0, ...nodes.map(({ pid }) => pid)];
      const target = {
        name: title,
        kind: /** @type {const} */ ('svc'),
        origins: [product.origin],
        pids,
        lastOutput: product.lastOutput,
        headers: keys.map((key) => ({ authorization: `Bearer ${key}` })),
      };
      const warmUp = await drive(target, workload, WARM_UP_SECONDS);
      const read = async () => [
        readCpuMs(pids.slice(0, 1)),
        ...(await Promise.all(nodes.map(readLedgerMs))),
        ...nodes.map(({ pid }) => readCpuMs([pid])),
      ];
      const before = await read();
      const { rps, requests } = await drive(target, workload, seconds);
      const cpuMs = (await read()).map((ms, index) => ms - (before[index] ?? 0));
      const [service, first, second, ...all] = cpuMs.map((ms) => Number((ms / requests).toFixed(3)));
      const [, , , ...busy] = cpuMs.map((ms) => `${Math.round(ms / seconds / 10)}%`);
      figures.push({
        '': title,
        'requests/s': Math.round(rps),
        service: service ?? 0,
        'ledger, node 1': first ?? 0,
        'ledger, node 2': second ?? 0,
        'node 1': `${all[0]} (${busy[0]})`,
        'node 2': `${all[1]} (${busy[1]})`,
      });
      return warmUp.requests + requests;
    },
  };
}
