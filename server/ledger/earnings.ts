import { nowDate } from '../base/clock';
import { pool, repeatSlowly } from '../base/db';
import { invariant } from '../base/errors';
import { earningsHold } from './claw-back';
import type { AppEarnings } from './payouts';

/**
 * Postings younger than this may belong to a transaction that is still running, so they are not rolled up
 * yet.
 */
const LAG = '1 minute';

/** Adds new postings to the sums by hour and by day. Several instances may call this; only one works at a time. */
export async function rollUpEarnings(lag = LAG): Promise<void> {
  await repeatSlowly('SELECT ledger_roll_up($1::interval) AS more', [lag]);
}

export type Earnings = Omit<AppEarnings, 'partnerId'> & { holdDays: number };

/** An app's earnings up to now, including those that are not rolled up yet. */
export async function readEarnings(partnerId: string): Promise<Earnings> {
  const { rows } = await pool().query<Earnings>(
    `SELECT matured, maturing, disputable, paid_out AS "paidOut", payable, hold_days AS "holdDays"
     FROM ledger_earnings(ARRAY[$1], $2::interval, $3)`,
    [partnerId, earningsHold(), nowDate()],
  );
  invariant(rows[0], 'ledger_earnings returns a row');
  return rows[0];
}
