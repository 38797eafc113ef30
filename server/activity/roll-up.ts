import { querySlowly } from '../db';

/** Newer receipts may belong to a transaction that is still running. */
const LAG = '15 seconds';
/** The maximum number of days added per run. A longer backlog takes several runs. */
const MAX_DAYS = 50;

/**
 * Adds new receipts to the daily sums. Several instances may call this; only one works at a time.
 * The view `activity_by_partner` includes receipts that are not in the sums yet.
 */
export async function rollUpActivity(lag = LAG): Promise<void> {
  await runUntilDone('activity_roll_up', lag);
  await runUntilDone('activity_roll_up_app_users', lag);
}

async function runUntilDone(rollUp: string, lag: string): Promise<void> {
  for (let day = 0; day < MAX_DAYS; day++) {
    const [result] = await querySlowly<{ more: boolean }>(`SELECT ${rollUp}($1::interval) AS more`, [lag]);
    if (!result?.more) return;
  }
}
