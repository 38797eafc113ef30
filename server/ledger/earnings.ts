import type { Microcredits } from '../credits';
import { pool, querySlowly } from '../db';
import { earningsHold } from './claw-back';

/** Entries younger than this may belong to a transaction that still runs, so they are not folded yet. */
const LAG = '1 minute';

/** Folds new entries into hours by watermark. Several instances may call it: one at a time works. */
export async function rollUpEarnings(lag = LAG): Promise<void> {
  await querySlowly('SELECT ledger_roll_up($1::interval)', [lag]);
}

export type Earnings = {
  /** Past the hold period: the partner's for good. */
  matured: Microcredits;
  /** May still be reversed by a chargeback. */
  maturing: Microcredits;
};

/** A partner's earnings up to now: the roll-up and what came since. */
export async function readEarnings(partnerId: string): Promise<Earnings> {
  const { rows } = await pool().query<Earnings>(
    'SELECT matured, maturing FROM ledger_earnings($1, $2::interval)',
    [partnerId, earningsHold()],
  );
  return rows[0] ?? { matured: 0n as Microcredits, maturing: 0n as Microcredits };
}
