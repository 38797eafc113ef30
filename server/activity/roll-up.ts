import { querySlowly } from '../db';

/** Receipts younger than this may belong to a transaction that still runs. */
const LAG = '15 seconds';
/** Days that one round folds at most: a long absence is made up for in several. */
const MOST_DAYS = 50;

/**
 * Folds new receipts into the sums by day. Several instances may call it: one at a time works.
 * Readers add what is not folded yet, through the view `activity_by_partner`.
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
