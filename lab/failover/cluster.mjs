// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAccount, findNewestMajor, findPrograms, handOver } from '../../scripts/recovery/cluster.mjs';
import { query } from '../bench/product-database.mjs';
import { findFreePort } from '../bench/servers.mjs';
import { childrenOf, signalAll } from '../faults/processes.mjs';
import { openRelay } from './relay.mjs';
import { haproxySettings, IS_OLD, PASSWORD, PATRONI, patroniSettings } from './settings.mjs';

/**
 * Three machines of PostgreSQL, each with a member of etcd and Patroni, and the HAProxy through which the service
 * finds the primary. All are processes on loopback.
 *
 * @typedef {object} Machine
 * @property {string} name
 * @property {string} folder
 * @property {number} client of its etcd
 * @property {number} peer of its etcd
 * @property {number} rest of its Patroni
 * @property {number} postgres
 * @property {import('./relay.mjs').Relay[]} network from its Patroni to each member of etcd
 * @property {import('node:child_process').ChildProcess[]} running
 */

const MACHINES = 3;
const PATIENCE_SECONDS = 90;
const POLL_MS = 200;
/** When HAProxy starts, it takes every server for the primary until two checks have failed. */
const CHECKED_MS = 4_000;
export const ETCD = process.env.ETCD ?? 'etcd';
export const HAPROXY = process.env.HAPROXY ?? '/usr/sbin/haproxy';

export class Cluster {
  /** Of the service's database, on whichever machine is the primary. */
  url = '';
  /** @type {Machine[]} */
  machines = [];
  /** @type {(() => unknown)[]} */
  #cleanUps = [];

  /** @param {string} folder */
  static async open(folder) {
    const cluster = new Cluster();
    try {
      await cluster.#start(folder);
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  /** @param {string} folder */
  async #start(folder) {
    mkdirSync(folder, { recursive: true });
    this.#cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    this.#cleanUps.push(() => Promise.all(this.machines.map(kill)));
    for (let n = 1; n <= MACHINES; n += 1) this.machines.push(await plan(path.join(folder, `db${n}`)));
    for (const machine of this.machines) {
      machine.network = await Promise.all(this.machines.map(({ client }) => openRelay(client)));
      this.#cleanUps.push(() => machine.network.forEach((relay) => relay.close()));
    }
    handOver(folder);
    for (const machine of this.machines) this.boot(machine);
    await this.untilHealthy();
    const port = await this.#startProxy(folder);
    const admin = { pid: 0, url: `postgresql://postgres:${PASSWORD}@127.0.0.1:${port}/postgres` };
    await sleep(CHECKED_MS);
    await query(admin, `CREATE ROLE svc LOGIN PASSWORD '${PASSWORD}'`);
    await query(admin, 'CREATE DATABASE svc OWNER svc');
    this.url = `postgresql://svc:${PASSWORD}@127.0.0.1:${port}/svc`;
  }

  /** Starts what runs on a machine. @param {Machine} machine */
  boot(machine) {
    const { name, folder, client, peer } = machine;
    const settings = path.join(folder, 'patroni.json');
    const programs = findPrograms(findNewestMajor());
    writeFileSync(settings, JSON.stringify(patroniSettings(machine, programs)));
    const at = (/** @type {number} */ port) => `http://127.0.0.1:${port}`;
    const members = this.machines.map((each) => `${each.name}=${at(each.peer)}`).join(',');
    machine.running = [
      start(folder, ETCD, [
        ...['--name', name, '--data-dir', path.join(folder, 'etcd'), '--initial-cluster', members],
        ...['--listen-client-urls', at(client), '--advertise-client-urls', at(client)],
        ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
        ...(IS_OLD ? ['--enable-v2'] : []),
      ]),
      start(folder, PATRONI, [settings]),
    ];
  }

  /** @param {string} folder */
  async #startProxy(folder) {
    const port = await findFreePort();
    const settings = path.join(folder, 'haproxy.cfg');
    writeFileSync(settings, haproxySettings(port, this.machines));
    const proxy = start(folder, HAPROXY, ['-f', settings]);
    this.#cleanUps.push(() => proxy.kill('SIGKILL'));
    return port;
  }

  /** What Patroni knows, on the first machine that responds. */
  async members() {
    for (const { rest } of this.machines) {
      try {
        const response = await fetch(`http://127.0.0.1:${rest}/cluster`, {
          signal: AbortSignal.timeout(1_000),
        });
        /** @type {{ name: string, role: string, state: string, timeline?: number, lag?: number }[]} */
        const members = (await response.json()).members;
        return members;
      } catch {
        // It is down.
      }
    }
    return [];
  }

  /** @param {'leader' | 'sync_standby'} role @returns {Promise<Machine>} */
  async find(role) {
    const name = (await this.members()).find((member) => member.role === role)?.name;
    return this.machines.find((machine) => machine.name === name) ?? Promise.reject(new Error(`no ${role}`));
  }

  /** Until there are a primary, a synchronous standby and another one, all of the same history. */
  async untilHealthy() {
    await until('a healthy cluster', async () => {
      const members = await this.members();
      const isUp = members.every(({ state }) => /running|streaming/.test(state));
      const isSame = new Set(members.map(({ timeline }) => timeline)).size === 1;
      const roles = members.map(({ role }) => role).sort();
      return isUp && isSame && String(roles) === 'leader,replica,sync_standby';
    });
  }

  /** Makes the synchronous standby the primary, as before work on a machine. */
  async switchOver() {
    const [from, to] = await Promise.all([this.find('leader'), this.find('sync_standby')]);
    const body = JSON.stringify({ leader: from.name, candidate: to.name });
    const response = await fetch(`http://127.0.0.1:${from.rest}/switchover`, { method: 'POST', body });
    if (!response.ok) throw new Error(`switch-over: ${response.status} ${await response.text()}`);
  }

  async close() {
    for (const undo of this.#cleanUps.splice(0).reverse()) await undo();
  }
}

/** @param {string} folder @returns {Promise<Machine>} */
async function plan(folder) {
  mkdirSync(folder);
  const ports = { client: 0, peer: 0, rest: 0, postgres: 0 };
  for (const name of Object.keys(ports)) Object.assign(ports, { [name]: await findFreePort() });
  return { name: path.basename(folder), folder, network: [], running: [], ...ports };
}

/** @param {string} folder @param {string} program @param {string[]} args */
function start(folder, program, args) {
  const log = openSync(path.join(folder, `${path.basename(program)}.log`), 'a');
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: /** @type {const} */ ('production') };
  return spawn(program, args, {
    ...findAccount(),
    cwd: folder,
    env,
    stdio: ['ignore', log, log],
    detached: true,
  });
}

/** All processes of a machine. @param {Machine} machine */
export function processesOf({ folder, running }) {
  const file = path.join(folder, 'postgres/postmaster.pid');
  const postgres = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
  const alive = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  return [
    ...alive.map(({ pid }) => pid ?? 0),
    ...(existsSync(`/proc/${postgres}`) && postgres > 0 ? [postgres, ...childrenOf(postgres)] : []),
  ];
}

/** As if it had lost its power. @param {Machine} machine */
export async function kill(machine) {
  const ended = machine.running
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map((child) => once(child, 'exit'));
  signalAll(processesOf(machine), 'SIGKILL');
  machine.running = [];
  await Promise.all(ended);
}

/** @param {string} what @param {() => Promise<boolean>} isTrue */
async function until(what, isTrue) {
  const deadlineMs = performance.now() + PATIENCE_SECONDS * 1_000;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`waited in vain for ${what}`);
    await sleep(POLL_MS);
  }
}
