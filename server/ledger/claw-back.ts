import type { Microcredits } from '../base/credits';
import type { Tx } from '../base/db';
import { settings } from '../base/env';
import { invariant } from '../base/errors';
import { newId } from '../base/ids';

export type ClawBack = {
  userId: string;
  /** The checkout session of the purchase. */
  sessionId: string;
  /** The total to take back for refunds. If it is less than before, credits are returned. */
  refunded: Microcredits;
  /** The same for disputes. Both together never take more than the purchase. */
  disputed: Microcredits;
};

export type ClawedBack = {
  /** Signed change of the user's credits. */
  credits: Microcredits;
  balance: Microcredits;
};

/**
 * Takes back the credits of a refunded or disputed purchase. Repeated and out-of-order events change nothing,
 * because only the difference to the total is booked. The pocket may go below zero. Commission that was
 * earned on those credits and has not matured is reversed, and restored when the credits are returned.
 */
export async function clawBack(
  tx: Tx,
  { userId, sessionId, refunded, disputed }: ClawBack,
): Promise<ClawedBack> {
  const rows = await tx.$queryRaw<{ balance: bigint; credits: bigint }[]>`
    SELECT balance, credits
    FROM ledger_claw_back(${userId}, ${sessionId}, ${refunded}::bigint, ${disputed}::bigint,
      ${newId('txn')}, ${newId('txn')}, ${earningsHold()}::interval)`;
  const row = rows[0];
  invariant(row, 'ledger_claw_back returns a row');
  return { credits: row.credits as Microcredits, balance: row.balance as Microcredits };
}

/** How long commission takes to mature, unless the partner has its own period. */
export const earningsHold = (): string => `${settings().EARNINGS_HOLD_DAYS} days`;
