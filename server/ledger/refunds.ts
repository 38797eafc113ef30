import { nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { newId } from '../base/ids';
import { earningsHold } from './claw-back';
import { returnIdleHolds } from './kept-holds';

/** Refunds that users ask for. */

export type Refundable = { purchaseId: string; refundMinor: number };

/** What of the purchases since then is left to refund; the oldest first, which is the next to be refunded. */
export async function readRefundable(userId: string, since: Date): Promise<Refundable[]> {
  await returnIdleHolds(userId);
  return prisma().$queryRaw<Refundable[]>`
    SELECT purchase_id AS "purchaseId", refund_minor AS "refundMinor"
    FROM ledger_refundable(${userId}, ${since}::timestamptz)`;
}

export type AskedRefund = {
  userId: string;
  id: string;
  purchaseId: string;
  amountMinor: number;
  targetMinor: number;
  settledAt: Date | null;
  isRefused: boolean;
};

export type RefundRequest = {
  userId: string;
  /** The same id is one refund. */
  refundId: string;
  purchaseId: string;
  since: Date;
  /** At most `most` refunds since `month`. */
  month: Date;
  most: number;
};

/** Decides the refund and takes its credits back. Null if nothing may be refunded. */
export async function askRefund(tx: Tx, request: RefundRequest): Promise<AskedRefund | null> {
  const { userId, refundId, purchaseId, since, month, most } = request;
  const [refund] = await tx.$queryRaw<AskedRefund[]>`
    SELECT user_id AS "userId", id, purchase_id AS "purchaseId", amount_minor AS "amountMinor",
           target_minor AS "targetMinor", settled_at AS "settledAt", is_refused AS "isRefused"
    FROM ledger_ask_refund(${userId}, ${refundId}, ${purchaseId}, ${since}::timestamptz, ${month}::timestamptz, ${most}::integer,
      ${nowDate()}::timestamptz, ${newId('txn')}, ${earningsHold()}::interval)`;
  return refund ?? null;
}
