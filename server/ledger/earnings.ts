import type { Microcredits } from '../credits';
import { pool, querySlowly } from '../db';
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
  /** May still be reversed by a chargeback. */
  maturing: Microcredits;
};

/** A partner's earnings up to now, including those that are not rolled up yet. */
export async function readEarnings(partnerId: string): Promise<Earnings> {
  const { rows } = await pool().query<Earnings>(
    'SELECT matured, maturing FROM ledger_earnings($1, $2::interval)',
    [partnerId, earningsHold()],
  );
  return rows[0] ?? { matured: 0n as Microcredits, maturing: 0n as Microcredits };
}
