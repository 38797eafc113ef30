import type { Microcredits } from '../credits';
import type { Tx } from '../db';
import { settings } from '../env';
import { invariant } from '../errors';
import { newId } from '../ids';

export type ClawBack = {
  userId: string;
  /** The payment session of the purchase that is taken back. */
  sessionId: string;
  reason: 'refund' | 'chargeback';
  /** What is taken back for this reason in all, not what is new. Less than before gives credits back. */
  cumulative: Microcredits;
};

export type ClawedBack = {
  /** Null when nothing changed. */
  transactionId: string | null;
  /** Signed change of the user's credits. */
  credits: Microcredits;
  balance: Microcredits;
};

/**
 * Takes back what was refunded or charged back of a purchase. Repetitions and events out of order
 * change nothing, since only the difference to the cumulative sum is applied. The pocket may go
 * below zero; a chargeback also reverses commission on spent credits that has not matured.
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

/** How long commission waits before it is the partner's for good. */
export const earningsHold = (): string => `${settings().EARNINGS_HOLD_DAYS} days`;
