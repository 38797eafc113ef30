// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readOptions } from '../../scripts/read-options.mjs';
import { buildAll, bundle, enterProject, fail, installDependencies } from '../../scripts/steps.mjs';
import { makeFundedKeys, runCommand } from '../bench/funded-keys.mjs';
import { query } from '../bench/product-database.mjs';
import { ROOT, startMockUpstream, startProduct, stopServers } from '../bench/servers.mjs';
import { openLoad } from './load.mjs';
import { findCitus, openPsql, startNodes } from './nodes.mjs';
import { addressOf, createSchemas, moveSchema, moveUsers, openSchema, shareTables } from './schemas.mjs';

/**
 * `npm run scale`: an experiment, described in scale/README.md. Paid requests through one service whose users are
 * spread over schemas, which Citus holds on one PostgreSQL server and then on two.
 *
 * @typedef {import('./nodes.mjs').Node} Node
 * @typedef {import('./load.mjs').Load} Load
 * @typedef {import('../bench/servers.mjs').Product} Product
 *
 * @typedef {object} Setting
 * @property {Node} home the node with everything that is not in a schema
 * @property {Load} load
 * @property {(more?: Record<string, string>, program?: string) => Promise<Product>} start
 * @property {number} schemas
 */

const HELP = `npm run scale -- [options]

  --bin DIR        the programs of a PostgreSQL with Citus (the newest installed PostgreSQL)
  --data DIR       where the databases are made (${tmpdir()})
  --schemas N      schemas that the users are spread over, at least 2 (2)
  --seconds N      seconds of each load (10)
  --users N        users that share the load (32)`;

const values = readOptions({
  bin: { type: 'string' },
  data: { type: 'string', default: tmpdir() },
  schemas: { type: 'string', default: '2' },
  seconds: { type: 'string', default: '10' },
  users: { type: 'string', default: '32' },
  help: { type: 'boolean', default: false },
});

/** @type {(() => Promise<void> | void)[]} */
const cleanUps = [];

async function experiment() {
  const { schemas, seconds, users } = readNumbers();
  const { major, programs } = findCitus(values.bin);
  enterProject();
  await installDependencies({ dev: true });
  await buildAll();
  await bundle('server/main.ts', 'scale', [REPLACE_BATCH]);

  const folder = mkdtempSync(path.join(path.resolve(values.data), 'svc-scale-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const nodes = await startNodes(programs, folder);
  cleanUps.push(async () => {
    for (const node of nodes) await node.stop();
  });
  const [home, second] = nodes;
  const upstream = await startMockUpstream();
  cleanUps.push(stopServers);
  const load = openLoad(nodes, seconds);
  cleanUps.push(load.stop);
  /** @type {Setting['start']} */
  const start = (more = {}, program = 'main') => {
    const env = { DATABASE_URL: home.url, ...more };
    return startProduct(upstream.origin, path.join(folder, 'svc'), env, ROOT, program);
  };
  const setting = { home, load, start, schemas };

  console.log(`PostgreSQL ${major}, ${users} users, 32 connections, ${seconds} s of each load`);
  const keys = await driveHome(setting, users);
  createSchemas(openPsql(programs, folder), home, schemas);
  await shareTables(home);
  await moveUsers(home, await readUnspent(home), schemas);
  const places = Array.from({ length: schemas }, () => home);
  for (let n = 0; n < schemas; n += 1) await openSchema(home, n);
  await driveSchemas(setting, `${schemas} schemas on one node`, keys, places);
  for (let n = 1; n < schemas; n += 2) {
    await moveSchema(home, second, n);
    places[n] = second;
  }
  await driveSchemas(setting, `${schemas} schemas on two nodes`, keys, places);
  load.print();
}

function readNumbers() {
  /** @param {'schemas' | 'seconds' | 'users'} name @param {number} least */
  const read = (name, least) => {
    const value = Number(values[name]);
    return Number.isInteger(value) && value >= least
      ? value
      : fail(`--${name}: expected a whole number, at least ${least}`);
  };
  return { schemas: read('schemas', 2), seconds: read('seconds', 1), users: read('users', 1) };
}

/** The service as built, with a pool and a batcher for each schema. */
const REPLACE_BATCH = {
  name: 'replace batch',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^\.\/batch$/ }, ({ importer }) =>
      importer.startsWith(path.join(ROOT, 'server/ledger/'))
        ? { path: path.join(ROOT, 'lab/scale/batch.ts') }
        : null,
    );
  },
};

/**
 * The product as it is, on one PostgreSQL server. Returns the keys of as many users again, who have not spent anything.
 *
 * @param {Setting} setting @param {number} users
 */
async function driveHome({ home, load, start }, users) {
  const product = await start();
  const keys = await makeFundedKeys(product, home, users * 2);
  const answered = await load.drive('svc as it is, one database', product, keys.slice(0, users));
  await product.stop();
  await checkBooks(product, [home.url], answered);
  return keys.slice(users);
}

/** @type {number} */
let answeredBySchemas = 0;

/** @param {Setting} setting @param {string} title @param {string[]} keys @param {Node[]} places */
async function driveSchemas({ load, start }, title, keys, places) {
  const addresses = places.map(addressOf);
  const product = await start({ SCALE_URLS: addresses.join(' ') }, 'scale');
  answeredBySchemas += await load.drive(title, product, keys);
  await product.stop();
  await checkBooks(product, addresses, answeredBySchemas);
}

/** @param {Node} home @returns {Promise<string[]>} */
async function readUnspent(home) {
  const rows = await query(
    home,
    'SELECT user_id FROM wallet w WHERE NOT EXISTS (SELECT 1 FROM usage u WHERE u.user_id = w.user_id)',
  );
  return rows.map((row) => row.user_id);
}

/**
 * `ledger check` in each database or schema. Together they must have a receipt for each response, and no hold.
 *
 * @param {Product} product @param {string[]} urls @param {number} answered
 */
async function checkBooks(product, urls, answered) {
  let receipts = 0;
  for (const url of urls) {
    const env = { ...product.env, DATABASE_URL: url };
    // It fails if there is a difference.
    const { users, transactions } = await runCommand({ ...product, env }, ['ledger', 'check']);
    const [row] = await query(
      { pid: 0, url },
      'SELECT (SELECT count(*)::int FROM usage) AS receipts, (SELECT count(*)::int FROM hold) AS holds',
    );
    if (row.holds > 0) throw new Error(`${row.holds} holds are left`);
    receipts += row.receipts;
    console.log(`  ledger check: ${users} users, ${transactions} transactions, no differences`);
  }
  if (receipts !== answered) throw new Error(`${receipts} receipts for ${answered} responses`);
  console.log(`  ${receipts} receipts for ${answered} responses`);
}

if (values.help) console.log(HELP);
else
  try {
    await experiment();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
