import { querySlowly } from '../db';

/** Newer receipts may belong to a transaction that is still running. */
const LAG = '15 seconds';
/** The most days that one round folds. A longer backlog takes several rounds. */
const MOST_DAYS = 50;

/**
 * Folds new receipts into the daily sums. Several instances may call this; only one works at a time.
 * Readers add what is not folded yet through the view `activity_by_partner`.
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
