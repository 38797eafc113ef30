// @ts-check
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import {
  findNewestMajor,
  findPrograms,
  handOver,
  runProgram,
  startCluster,
} from '../../scripts/recovery/cluster.mjs';
import { fail } from '../../scripts/steps.mjs';

/**
 * Two PostgreSQL servers with Citus on loopback. The first is the coordinator; both can hold schemas.
 *
 * @typedef {{ name: string, port: number, pid: number, url: string, stop: () => Promise<void> }} Node
 * @typedef {(node: Node, texts: string[]) => void} Psql
 */

const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: '200',
  // As docs/operating.md recommends.
  autovacuum_naptime: '3s',
  max_wal_size: '2GB',
  'citus.node_conninfo': 'sslmode=disable',
  // The ledger writes to the tables of its schema on their node, without Citus's planner: see README.md.
  'citus.enable_manual_changes_to_shards': 'on',
  'citus.enable_unsafe_triggers': 'on',
};

/** @param {string | undefined} bin the folder of PostgreSQL's programs */
export function findCitus(bin) {
  const major = findNewestMajor(bin);
  const programs = findPrograms(major, bin);
  const share = runProgram(path.join(programs, 'pg_config'), ['--sharedir']).trim();
  if (existsSync(path.join(share, 'extension/citus.control'))) return { major, programs };
  return fail(
    `Citus is not installed for PostgreSQL ${major}: ${share}/extension/citus.control is missing.\nInstall it (https://docs.citusdata.com/en/stable/installation/single_node.html), or name the folder of another PostgreSQL's programs with --bin.`,
  );
}

/** @param {string} programs @param {string} folder @returns {Promise<[Node, Node]>} */
export async function startNodes(programs, folder) {
  const first = await startNode(programs, folder, 'node 1');
  const second = await startNode(programs, folder, 'node 2');
  await onNode(first.url, async (client) => {
    await client.query(`SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [first.port]);
    await client.query(`SELECT citus_add_node('127.0.0.1', $1)`, [second.port]);
    await client.query(`SELECT citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', true)`, [
      first.port,
    ]);
    // At first, the first one holds everything.
    await client.query(`SELECT citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', false)`, [
      second.port,
    ]);
  });
  return [first, second];
}

/** @param {string} programs @param {string} folder @param {string} name @returns {Promise<Node>} */
async function startNode(programs, folder, name) {
  const data = path.join(folder, name.replace(' ', '-'));
  mkdirSync(data, { recursive: true });
  handOver(folder);
  runProgram(path.join(programs, 'initdb'), [
    '-D',
    data,
    '--username=svc',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
  ]);
  const cluster = await startCluster(programs, data, SETTINGS);
  const server = `postgresql://svc@127.0.0.1:${cluster.port}`;
  await onNode(`${server}/postgres`, (client) => client.query('CREATE DATABASE svc'));
  const url = `${server}/svc`;
  await onNode(url, (client) => client.query('CREATE EXTENSION citus'));
  return { name, url, ...cluster };
}

/**
 * @template T
 * @param {string} url @param {(client: pg.Client) => Promise<T>} work
 */
export async function onNode(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Citus takes only single statements, which psql tells apart.
 *
 * @param {string} programs @param {string} folder
 * @returns {Psql}
 */
export function openPsql(programs, folder) {
  return ({ url }, texts) => {
    const file = path.join(folder, 'statements.sql');
    writeFileSync(file, texts.join('\n'));
    runProgram(path.join(programs, 'psql'), ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', url, '-f', file]);
  };
}
