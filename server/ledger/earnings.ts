import type { Microcredits } from '../credits';
import { pool, querySlowly } from '../db';
import { invariant } from '../errors';
import { earningsHold } from './claw-back';

/**
 * Postings younger than this may belong to a transaction that is still running, so they are not rolled up
 * yet.
 */
const LAG = '1 minute';

/** Adds new postings to the hourly sums. Several instances may call this; only one works at a time. */
export async function rollUpEarnings(lag = LAG): Promise<void> {
  await querySlowly('SELECT ledger_roll_up($1::interval)', [lag]);
}

export type Earnings = {
  /** Past the hold period: final. */
  matured: Microcredits;
  /** May still be reversed by a refund or a dispute. */
  maturing: Microcredits;
  /** The part of `matured` whose payments can still be disputed: the operator's exposure. */
  disputable: Microcredits;
  holdDays: number;
};

/** A partner's earnings up to now, including those that are not rolled up yet. */
export async function readEarnings(partnerId: string): Promise<Earnings> {
  const { rows } = await pool().query<Earnings>(
    'SELECT matured, maturing, disputable, hold_days AS "holdDays" FROM ledger_earnings($1, $2::interval)',
    [partnerId, earningsHold()],
  );
  invariant(rows[0], 'ledger_earnings returns a row');
  return rows[0];
}
