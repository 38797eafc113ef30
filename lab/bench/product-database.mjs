// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * The embedded PostgreSQL of a running product.
 *
 * @typedef {{ pid: number, url: string }} Database
 */

/** The app whose users send the load. */
export const APP_NAME = 'bench';

/** @param {string} dataDir @returns {Database} */
export function findDatabase(dataDir) {
  const directory = path.join(dataDir, 'postgres');
  const lines = readFileSync(path.join(directory, 'postmaster.pid'), 'utf8').split('\n');
  const { password } = JSON.parse(readFileSync(path.join(directory, 'svc.json'), 'utf8'));
  return { pid: Number(lines[0]), url: `postgresql://svc:${password}@127.0.0.1:${lines[3]}/svc` };
}

/**
 * What was written so far, and the receipts of the users under test.
 *
 * @param {Database} database
 * @returns {Promise<{ walBytes: number, diskBytes: number, receipts: number }>}
 */
export async function readWrites(database) {
  const [row] = await query(
    database,
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS "walBytes",
       pg_database_size(current_database())::float8 AS "diskBytes",
       (SELECT count(*)::float8 FROM usage) AS receipts`,
  );
  return row;
}

/** The product returns an idle kept hold within a second. */
const HOLDS_RETURN_WITHIN_MS = 5_000;

/**
 * What no load may leave behind: credits below zero, or a hold without a request. Other users' refunds may have
 * left a debt.
 *
 * @param {Database} database
 */
export async function findLeftovers(database) {
  const deadlineMs = performance.now() + HOLDS_RETURN_WITHIN_MS;
  for (;;) {
    const left = await readLeftovers(database);
    if (left.length === 0 || performance.now() > deadlineMs) return left;
    await sleep(100);
  }
}

/** @param {Database} database */
async function readLeftovers(database) {
  const [row] = await query(
    database,
    `WITH pocket AS (SELECT * FROM user_app WHERE partner_id = (SELECT id FROM partner WHERE name = '${APP_NAME}'))
     SELECT (SELECT count(*)::int FROM pocket WHERE own < 0) AS "pockets below zero",
       (SELECT count(*)::int FROM wallet JOIN pocket USING (user_id) WHERE money < 0) AS "wallets below zero",
       (SELECT count(*)::int FROM wallet WHERE held <> 0 OR running <> 0) AS "wallets with held credits",
       (SELECT count(*)::int FROM hold) AS "open holds"`,
  );
  return Object.entries(row).flatMap(([what, rows]) => (rows === 0 ? [] : [`${rows} ${what}`]));
}

/** @param {Database} database @param {string} text @param {unknown[]} [values] */
export async function query({ url }, text, values) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
