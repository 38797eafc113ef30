// @ts-check
import { rmSync } from 'node:fs';
import path from 'node:path';
import { makeFundedKeys, runCommand } from './funded-keys.mjs';
import { findDatabase, findLeftovers, readWrites } from './product-database.mjs';
import { count, GROWN } from './report.mjs';
import { buildIn, checkOut, runNode } from './revision.mjs';
import { ROOT, startProduct } from './servers.mjs';
import { WORKLOADS } from './workloads.mjs';

/**
 * The installations of this product under test: of this commit or an older one, empty or grown, each with a
 * database that is created for the run and removed afterwards.
 *
 * @typedef {object} Installation
 * @property {import('./rounds.mjs').Target} target
 * @property {import('./servers.mjs').Product} product
 * @property {import('./product-database.mjs').Database} database
 */

const FILL_MEMORY_MB = 8_192;

/**
 * @param {import('./options.mjs').Options} options
 * @param {string} upstreamOrigin
 * @param {(undo: () => void) => void} onCleanUp
 */
export async function startProducts(options, upstreamOrigin, onCleanUp) {
  const { servers, against, grown } = options;
  if (!servers.includes('svc')) return [];
  const roots = [['svc', ROOT]];
  await buildIn(ROOT);
  if (against !== undefined) {
    console.log(`Building ${against} as "old"`);
    const root = checkOut(against);
    await buildIn(root);
    roots.push(['old', root]);
  }
  /** @type {Installation[]} */
  const installations = [];
  for (const [name = '', root = ROOT] of roots)
    for (const receipts of grown > 0 ? [0, grown] : [0]) {
      const dataDir = path.join(options.data, `run-${process.pid}-${name}-${receipts}`);
      onCleanUp(() => rmSync(dataDir, { recursive: true, force: true }));
      installations.push(await startInstallation({ name, root, receipts, dataDir }, options, upstreamOrigin));
    }
  return installations;
}

/**
 * @param {{ name: string, root: string, receipts: number, dataDir: string }} installation
 * @param {import('./options.mjs').Options} options
 * @param {string} upstreamOrigin
 * @returns {Promise<Installation>}
 */
async function startInstallation({ name, root, receipts, dataDir }, { users, loads }, upstreamOrigin) {
  console.log(`Starting ${name}${receipts > 0 ? GROWN : ''} on an empty database`);
  const product = await startProduct(upstreamOrigin, dataDir, {}, root);
  const database = findDatabase(dataDir);
  if (receipts > 0) await fill(product, receipts);
  console.log(`Making ${users} users with credits`);
  const keys = await makeFundedKeys(product, database, users);
  const instances = [product];
  if (receipts === 0 && loads.some((load) => WORKLOADS[load]?.twoInstances))
    instances.push(await startProduct(upstreamOrigin, dataDir, secondOn(database), root));
  return {
    product,
    database,
    target: {
      name: receipts > 0 ? name + GROWN : name,
      kind: receipts > 0 ? 'grown' : 'svc',
      origins: instances.map(({ origin }) => origin),
      pids: [...instances.flatMap(({ pid }) => pid ?? []), database.pid],
      lastOutput: () => instances.map(({ lastOutput }) => lastOutput()).join('\n'),
      headers: keys.map((key) => ({ authorization: `Bearer ${key}` })),
    },
  };
}

/** One command starts both. The embedded server has 60 connections, and the first product may open 34. @param {import('./product-database.mjs').Database} database */
const secondOn = ({ url }) => ({ DATABASE_URL: url, DATABASE_CONNECTIONS: '20', INSTANCES: '2' });

/** A year of activity by other users. @param {import('./servers.mjs').Product} product @param {number} receipts */
async function fill({ root, env }, receipts) {
  console.log(`Writing a year with ${count(receipts)} receipts`);
  const memory = `--max-old-space-size=${FILL_MEMORY_MB}`;
  await runNode(root, [memory, path.join(root, '.build/year.mjs'), '--requests', String(receipts)], env);
}

/**
 * Compares what the product has booked with the responses that the load generator counted.
 *
 * @param {Installation} installation
 * @param {{ receipts: number, requests: number }} expected receipts before, requests since
 * @returns {Promise<string[]>} what does not agree
 */
export async function checkBooks({ product, database, target }, { receipts, requests }) {
  const found = await findLeftovers(database);
  const booked = (await readWrites(database)).receipts - receipts;
  if (booked !== requests) found.push(`${count(booked)} receipts for ${count(requests)} responses`);
  try {
    await runCommand(product, ['ledger', 'check']);
  } catch (error) {
    found.push(
      error instanceof Error && 'stdout' in error ? `${error.stdout}${error.message}` : String(error),
    );
  }
  return found.map((problem) => `${target.name}: ${problem}`);
}
