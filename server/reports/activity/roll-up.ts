import { repeatSlowly } from '../../base/db';

/** Newer receipts may belong to a transaction that is still running. */
const LAG = '15 seconds';

/**
 * Adds new receipts to the daily sums. Several instances may call this; only one works at a time.
 * The view `activity_by_partner` includes receipts that are not in the sums yet.
 */
export async function rollUpActivity(lag = LAG): Promise<void> {
  await repeatSlowly('SELECT activity_roll_up($1::interval) AS more', [lag]);
  await repeatSlowly('SELECT activity_roll_up_app_users($1::interval) AS more', [lag]);
}
