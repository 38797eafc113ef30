// @ts-check
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { readOptions } from '../../scripts/read-options.mjs';
import { buildAll, enterProject } from '../../scripts/steps.mjs';
import { measureFlush } from './disk.mjs';
import { makeFundedKeys, runCommand } from './funded-keys.mjs';
import { readCpuMs } from './process-tree.mjs';
import { findDatabase, query } from './product-database.mjs';
import { MODEL, ROOT, startMockUpstream, startProduct, stopServers } from './servers.mjs';

/**
 * `npm run bench:ledger`: what PostgreSQL alone does for a paid request, by the size of the batch. Calls
 * `ledger_batch` as the service does; each call settles the requests that the call before admitted, and admits as many.
 *
 * @typedef {{ hash: Buffer, user: string }} Key
 * @typedef {{ keys: Key[], receipt: unknown[] }} Work
 * @typedef {{ requests: number, seconds: number, backendMs: number, otherMs: number, walBytes: number }} Figures
 */

const BATCHES = [1, 2, 5, 10, 20, 50];
/** Linux reports CPU time in hundredths of a second. */
const TICK_MS = 10;
const WARM_UP_SECONDS = 0.5;
const COST = 4_000;
const CHARGE = 5_000;
const HOLD = 10_000;
const PICOCREDITS = 1_000_000;

const values = readOptions({
  seconds: { type: 'string', default: '4' },
  data: { type: 'string', default: path.join(ROOT, '.data/bench') },
});
const SECONDS = Number(values.seconds);

async function measureLedger() {
  enterProject();
  await buildAll();
  mkdirSync(values.data, { recursive: true });
  const folder = mkdtempSync(path.join(values.data, 'ledger-'));
  try {
    const upstream = await startMockUpstream();
    const product = await startProduct(upstream.origin, folder);
    const database = findDatabase(folder);
    await makeFundedKeys(product, database, 2 * Math.max(...BATCHES));
    const work = await readWork(database);
    console.log(`one flush of the disk: ${measureFlush(folder).p50Ms} ms`);
    const rows = [];
    for (const kept of [false, true])
      for (const connections of [1, 2])
        for (const size of BATCHES) {
          if (connections === 2 && size < 10) continue;
          const load = { kept, connections, size };
          rows.push(describe(load, await drive(database, work, load)));
        }
    console.table(rows);
    const { transactions } = await runCommand(product, ['ledger', 'check']);
    console.log(`ledger check: ${transactions} transactions, no differences`);
  } finally {
    await stopServers();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('./product-database.mjs').Database} database @returns {Promise<Work>} */
async function readWork(database) {
  const [price] = await query(database, 'SELECT version FROM model_price WHERE model_id = $1', [MODEL]);
  return {
    keys: await query(
      database,
      'SELECT k.hash, k.user_id AS user FROM user_key k JOIN wallet USING (user_id)',
    ),
    // The provider reported the cost, so it need not follow from the tokens.
    receipt: [
      MODEL,
      'openai',
      price.version,
      120,
      0,
      0,
      0,
      40,
      0,
      null,
      false,
      true,
      'completed',
      null,
      null,
    ],
  };
}

/** @param {{ kept: boolean, connections: number, size: number }} load @param {Figures} figures */
function describe({ kept, connections, size }, { requests, seconds, backendMs, otherMs, walBytes }) {
  return {
    holds: kept ? 'kept' : 'one per request',
    connections,
    batch: size,
    'CPU ms per request': Number((backendMs / requests).toFixed(4)),
    'of other processes': Number((otherMs / requests).toFixed(4)),
    'WAL bytes per request': Math.round(walBytes / requests),
    'requests/s': Math.round(requests / seconds),
  };
}

/**
 * @param {import('./product-database.mjs').Database} database @param {Work} work
 * @param {{ kept: boolean, connections: number, size: number }} load
 * @returns {Promise<Figures>}
 */
async function drive(database, { keys, receipt }, { kept, connections, size }) {
  const lanes = await Promise.all(
    Array.from({ length: connections }, async (_, lane) => {
      const client = new pg.Client({ connectionString: database.url });
      // If the servers are stopped, the error that caused it is the one to show.
      client.on('error', () => {});
      await client.connect();
      await client.query("SET timezone = 'UTC'");
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      const pid = Number(rows[0].pid);
      return { client, pid, receipt, keys: keys.slice(lane * size, (lane + 1) * size) };
    }),
  );
  const readWal = async () =>
    Number(
      (await query(database, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes"))[0].bytes,
    );
  const pids = lanes.map(({ pid }) => pid);
  await query(database, 'CHECKPOINT');
  // A kept hold serves only keys that were used within a minute.
  await query(database, 'UPDATE user_key SET last_used_at = clock_timestamp()');
  // Plans are made, caches filled and whole pages logged before anything is counted.
  for (const lane of lanes) await runLane(lane, kept, WARM_UP_SECONDS);
  const before = { backend: readBackends(pids), all: readCpuMs([database.pid]), wal: await readWal() };
  const startMs = performance.now();
  const counts = await Promise.all(lanes.map((lane) => runLane(lane, kept, SECONDS)));
  const seconds = (performance.now() - startMs) / 1_000;
  const backendMs = readBackends(pids) - before.backend;
  const otherMs = readCpuMs([database.pid]) - before.all - backendMs;
  const walBytes = (await readWal()) - before.wal;
  for (const { client } of lanes) await client.end();
  return { requests: counts.reduce((a, b) => a + b), seconds, backendMs, otherMs, walBytes };
}

/** @param {number[]} pids */
function readBackends(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

/**
 * Returns the number of requests.
 *
 * @param {Work & { client: pg.Client }} lane @param {boolean} kept @param {number} seconds
 */
async function runLane({ client, keys, receipt }, kept, seconds) {
  const endMs = performance.now() + seconds * 1_000;
  let requests = 0;
  /** @type {string[]} */
  let holds = keys.map(newRequestId);
  let running = holds;
  await call(client, { keys, receipt, settled: [], admitted: running, holds, kept, makes: true });
  while (performance.now() < endMs) {
    const next = keys.map(newRequestId);
    const settled = running;
    await call(client, { keys, receipt, settled, admitted: next, holds, kept, makes: !kept });
    if (!kept) holds = next;
    running = next;
    requests += keys.length;
  }
  await call(client, { keys, receipt, settled: running, admitted: [], holds, kept: false, makes: false });
  return requests + keys.length;
}

let ids = 0;
/** As long as a real one, and in order. */
function newRequestId() {
  ids += 1;
  return `req_${String(process.pid).padStart(7, '0')}${String(ids).padStart(15, '0')}`;
}

/**
 * @typedef {object} Batch
 * @property {Key[]} keys
 * @property {unknown[]} receipt
 * @property {string[]} settled
 * @property {string[]} admitted
 * @property {string[]} holds that the settled requests ran in
 * @property {boolean} kept whether holds outlive their request
 * @property {boolean} makes whether the admitted requests make holds
 */

/** @param {pg.Client} client @param {Batch} batch */
async function call(client, { keys, receipt, settled, admitted, holds, kept, makes }) {
  /** @param {unknown} value */
  const each = (value) => settled.map(() => value);
  const settlements = [
    each(1),
    settled.map((_, n) => keys[n]?.user),
    settled,
    holds.slice(0, settled.length),
    each(kept ? HOLD : null),
    each(COST),
    each(CHARGE),
    ...receipt.map(each),
  ];
  /** @param {unknown} value */
  const every = (value) => admitted.map(() => value);
  const admissions = [
    admitted.map((_, n) => keys[n]?.hash),
    admitted,
    every(MODEL),
    every(1),
    every(HOLD * 0.8 * PICOCREDITS),
    every(null),
    every('127.0.0.1'),
    every(null),
    makes ? every(null) : holds.slice(0, admitted.length),
    every(kept && makes),
    every(false),
    every(null),
    every(null),
    every(null),
    every('{}'),
  ];
  const columns = [...settlements, ...admissions];
  const further = [1, 1_000, '90 seconds', 10_000_000_000, 10_000_000_000, 0];
  const { rows } = await client.query({
    name: 'ledger_batch',
    text: `SELECT * FROM ledger_batch(${[...columns, ...further].map((_, n) => `$${n + 1}`)})`,
    values: [...columns, ...further],
  });
  const unexpected = rows.find(({ outcome }) => outcome !== 'settled' && outcome !== 'held');
  if (unexpected !== undefined || rows.length !== settled.length + admitted.length)
    throw new Error(`an unexpected outcome: ${JSON.stringify(unexpected ?? rows.length)}`);
}

await measureLedger();
