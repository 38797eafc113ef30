import { querySlowly } from '../db';

/** Receipts younger than this may belong to a transaction that still runs. */
const LAG = '15 seconds';
/** The most days that one run adds: after a long downtime it takes several. */
const MOST_DAYS = 50;

/**
 * Adds new receipts to the sums by day. Several instances may call it: one works at a time. Readers add
 * what is not rolled up yet, through the view `activity_by_partner`.
 */
export async function rollUpActivity(lag = LAG): Promise<void> {
  await fold('activity_roll_up', lag);
  await fold('activity_roll_up_app_users', lag);
}

async function fold(rollUp: string, lag: string): Promise<void> {
  for (let day = 0; day < MOST_DAYS; day++) {
    const [folded] = await querySlowly<{ more: boolean }>(`SELECT ${rollUp}($1::interval) AS more`, [lag]);
    if (!folded?.more) return;
  }
}
