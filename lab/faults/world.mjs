// @ts-check
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../scripts/steps.mjs';
import { startProxy } from '../../tests/process/keep-alive-proxy.mjs';
import { makeFundedKeys } from '../bench/funded-keys.mjs';
import { findDatabase } from '../bench/product-database.mjs';
import { findFreePort, ROOT, startProduct } from '../bench/servers.mjs';
import { childrenOf } from './processes.mjs';

/**
 * Two instances of the built product on one PostgreSQL, the one that the product embeds, with a provider that fails
 * on demand and a proxy in front.
 *
 * @typedef {import('../bench/servers.mjs').Product} Product
 * @typedef {import('./upstream.mjs').Mode} Mode
 *
 * @typedef {object} Options
 * @property {string} dataDir
 * @property {Record<string, string>} [env]
 * @property {number} [users]
 * @property {string} [root] the checkout that they run
 * @property {number} [instances]
 * @property {import('../failover/cluster.mjs').Cluster} [cluster] in place of the embedded PostgreSQL
 * @property {number} [spareInstances] addresses that the proxy knows, where nothing runs until `restart`
 */

export const METRICS_TOKEN = 'a token of the fault tests';
const USERS = 32;
/** Both instances and the commands must fit into the embedded server's 60 connections. */
const DATABASE_CONNECTIONS = '22';
/** Shorter than the defaults, so that a provider that hangs is noticed within the run. */
const TIMEOUTS = {
  UPSTREAM_FIRST_BYTE_SECONDS: '10',
  UPSTREAM_STREAM_START_SECONDS: '5',
  UPSTREAM_IDLE_SECONDS: '5',
};

export class World {
  /** @type {Product[]} */
  instances = [];
  /** @type {string[]} */
  keys = [];
  proxyUrl = '';
  databaseUrl = '';
  /** @type {(() => Promise<void>)[]} */
  #cleanUps = [];

  /** @param {Options} options @returns {Promise<World>} */
  static async open(options) {
    const world = new World(options.dataDir);
    try {
      await world.#start(options);
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  /** @param {string} dataDir */
  constructor(dataDir) {
    this.dataDir = dataDir;
  }

  /** @param {Options} options */
  async #start({
    dataDir,
    env = {},
    users = USERS,
    root = ROOT,
    instances = 2,
    spareInstances = 0,
    cluster,
  }) {
    mkdirSync(dataDir, { recursive: true });
    this.cluster = cluster;
    if (cluster !== undefined) {
      this.databaseUrl = cluster.url;
      this.#cleanUps.push(() => cluster.close());
    } else await this.#startEmbedded(dataDir);
    const upstream = await this.#startUpstream();
    this.#cleanUps.push(async () => {
      await Promise.all(this.instances.map((instance) => instance.stop()));
    });
    for (let n = 0; n < instances + spareInstances; n += 1) {
      const port = String(await findFreePort());
      this.instances.push({
        origin: `http://127.0.0.1:${port}`,
        pid: undefined,
        lastOutput: () => '',
        stop: async () => {},
        root,
        env: {
          PORT: port,
          DATA_DIR: path.join(dataDir, `instance-${n}`),
          OPENAI_BASE_URL: `${upstream}/v1`,
          DATABASE_URL: this.databaseUrl,
          DATABASE_CONNECTIONS,
          METRICS_TOKEN,
          SANDBOX: 'open',
          ...TIMEOUTS,
          ...env,
        },
      });
    }
    for (let n = 0; n < instances; n += 1) await this.restart(n);
    this.keys = await makeFundedKeys(this.instance(0), { pid: 0, url: this.databaseUrl }, users);
    const proxy = await startProxy(this.instances.map((instance) => instance.origin));
    this.#cleanUps.push(proxy.close);
    this.proxyUrl = proxy.url;
  }

  /** @param {string} dataDir */
  async #startEmbedded(dataDir) {
    const { BreakableDatabase } = await import(await bundle('tests/sim/database.ts', 'breakable-database'));
    /** @type {import('../../tests/sim/database').BreakableDatabase} */
    const database = new BreakableDatabase(dataDir);
    this.database = database;
    this.#cleanUps.push(() => database.close());
    this.databaseUrl = (await database.start()).url;
  }

  async #startUpstream() {
    const port = await findFreePort();
    const child = fork(fileURLToPath(new URL('upstream.mjs', import.meta.url)), {
      env: { ...process.env, PORT: String(port) },
    });
    this.#cleanUps.push(async () => void (child.connected && child.disconnect()));
    await once(child, 'message');
    this.upstream = child;
    return `http://127.0.0.1:${port}`;
  }

  /** @param {Mode} mode */
  async setUpstream(mode) {
    const taken = once(this.upstream ?? fail(), 'message');
    this.upstream?.send(mode);
    await taken;
  }

  /** @param {number} n */
  instance(n) {
    return this.instances[n] ?? fail();
  }

  /** Stops an instance if it runs, and starts it at its address. @param {number} n @param {Record<string, string>} [more] @param {string} [root] */
  async restart(n, more = {}, root = this.instance(n).root) {
    const { env } = this.instance(n);
    await this.instance(n).stop();
    const upstream = new URL(env.OPENAI_BASE_URL ?? '').origin;
    const started = await startProduct(upstream, env.DATA_DIR ?? '', { ...env, ...more }, root);
    // The settings of a fault do not outlive it.
    this.instances[n] = { ...started, env: { ...started.env, ...env } };
  }

  /** All processes of PostgreSQL. */
  databasePids() {
    const { pid } = findDatabase(this.dataDir);
    return [pid, ...childrenOf(pid)];
  }

  async close() {
    for (const undo of this.#cleanUps.splice(0).reverse()) await undo();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** @returns {never} */
function fail() {
  throw new Error('the world is not open');
}
