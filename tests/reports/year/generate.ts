import type pg from 'pg';
import { MINUTE_MS, now } from '@/server/base/clock';
import { YEAR_APP } from './people';
import { asJson, type Row, type Rows, TABLES } from './rows';
import { YEAR_REQUESTS, YEAR_SEED } from './seed';
import { simulateYear } from './simulate';

const ROWS_PER_STATEMENT = 5_000;

/**
 * Writes a year of activity that ends now, in one transaction, in addition to the existing data. Returns
 * false when the year already exists.
 */
export async function generateYear(
  client: pg.ClientBase,
  { seed = YEAR_SEED, requests = YEAR_REQUESTS } = {},
): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM partner WHERE id = $1', [YEAR_APP.id]);
  if (rowCount !== 0) return false;
  const rows = simulateYear({ seed, requests, end: now() - 2 * MINUTE_MS });
  await client.query('BEGIN');
  try {
    await write(client, rows);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
  // What autovacuum does in the course of a year.
  await client.query('VACUUM (ANALYZE)');
  return true;
}

async function write(client: pg.ClientBase, rows: Rows): Promise<void> {
  for (const table of TABLES) {
    const all = rows[table];
    for (let from = 0; from < all.length; from += ROWS_PER_STATEMENT)
      await insert(client, table, all.slice(from, from + ROWS_PER_STATEMENT));
  }
  await foldEveryDay(client);
}

async function insert(client: pg.ClientBase, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
    .map((name) => `"${name}"`)
    .join(', ');
  await client.query(
    `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::"${table}", $1::json)`,
    [asJson(rows)],
  );
}

/** A service that ran all year has rolled up and audited everything but the last few minutes. */
async function foldEveryDay(client: pg.ClientBase): Promise<void> {
  // Without its summaries, an index by time is read completely for every day.
  await client.query("SELECT brin_summarize_new_values('ledger_transaction_created')");
  await foldAgain(
    client,
    'earnings',
    ['earnings_rollup', 'earnings_day'],
    `SELECT ledger_roll_up('1 minute') AS more`,
  );
  await client.query(`UPDATE watermark SET up_to = clock_timestamp() WHERE name IN ('audit', 'audit_users')`);
  await foldAgain(client, 'usage', ['usage_day'], `SELECT ledger_roll_up_usage('1 minute') AS more`);
  await foldAgain(
    client,
    'activity',
    ['activity_partner_day', 'activity_money_day'],
    `SELECT activity_roll_up('15 seconds') AS more`,
  );
  // The sum of what a call for each day would add.
  await client.query(`
    TRUNCATE activity_app_user;
    INSERT INTO activity_app_user
      SELECT partner_id, user_id, count(*), sum(charge), sum(partner_share), max(created_at) FROM usage GROUP BY 1, 2;
    UPDATE watermark SET up_to = clock_timestamp() WHERE name = 'app_users'`);
}

/** The year is older than what was folded before, so folding starts again. */
async function foldAgain(client: pg.ClientBase, name: string, sums: string[], fold: string): Promise<void> {
  await client.query(`TRUNCATE ${sums.join(', ')}`);
  await client.query(`UPDATE watermark SET up_to = '2000-01-01' WHERE name = $1`, [name]);
  for (let more = true; more; ) more = (await client.query<{ more: boolean }>(fold)).rows[0]?.more === true;
}
