import type { Microcredits } from '../credits';
import type { Tx } from '../db';
import { settings } from '../env';
import { invariant } from '../errors';
import { newId } from '../ids';

export type ClawBack = {
  userId: string;
  /** The checkout session of the purchase. */
  sessionId: string;
  reason: 'refund' | 'chargeback';
  /** The total to take back for this reason. If it is less than before, credits are returned. */
  cumulative: Microcredits;
};

export type ClawedBack = {
  /** Null if nothing changed. */
  transactionId: string | null;
  /** Signed change of the user's credits. */
  credits: Microcredits;
  balance: Microcredits;
};

/**
 * Takes back the credits of a refunded or disputed purchase. Repeated and out-of-order events change nothing,
 * because only the difference to the total is booked. The pocket may go below zero. A chargeback also
 * reverses commission that was earned on those credits and has not matured.
 */
export async function clawBack(
  tx: Tx,
  { userId, sessionId, reason, cumulative }: ClawBack,
): Promise<ClawedBack> {
  const rows = await tx.$queryRaw<{ transaction_id: string | null; balance: bigint; credits: bigint }[]>`
    SELECT transaction_id, balance, credits
    FROM ledger_claw_back(${userId}, ${sessionId}, ${reason}, ${cumulative}::bigint, ${newId('txn')}, ${earningsHold()}::interval)`;
  const row = rows[0];
  invariant(row, 'ledger_claw_back returns a row');
  return {
    transactionId: row.transaction_id,
    credits: row.credits as Microcredits,
    balance: row.balance as Microcredits,
  };
}

/** How long commission takes to mature. */
export const earningsHold = (): string => `${settings().EARNINGS_HOLD_DAYS} days`;
