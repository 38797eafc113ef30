import type { Purchase } from '../../../prisma/client/client';
import { nowDate } from '../../base/clock';
import { type Microcredits, microcredits } from '../../base/credits';
import { inTransaction, prisma, type Tx } from '../../base/db';
import { clawBack } from '../../ledger';
import { correctInvoice } from '../invoices/issue';
import { noteConcerns } from './alerts';
import type { ProcessorReversals, ReversalKind } from './payment-processor';
import { stripeProcessor } from './stripe/processor';
import { turnOffForReversal } from './top-up/auto-top-up';

const MAX_ROUNDS = 10;

type Turn = { kinds: Set<ReversalKind>; hasBegun: boolean; result: Promise<string | null> };
const turns = new Map<string, Turn>();

/**
 * Claws back the credits of everything refunded or disputed so far; a failed refund and a won dispute return
 * them. Reads the payment and books its state. Only one read of a payment runs at a time, and callers that wait
 * for it share the next one. Returns the checkout session if its purchase does not exist yet.
 */
export function applyReversals(paymentId: string, kind: ReversalKind): Promise<string | null> {
  const latest = turns.get(paymentId);
  if (latest && !latest.hasBegun) {
    latest.kinds.add(kind);
    return latest.result;
  }
  const turn: Turn = { kinds: new Set([kind]), hasBegun: false, result: Promise.resolve(null) };
  turns.set(paymentId, turn);
  turn.result = takeTurn(paymentId, turn, latest);
  return turn.result;
}

async function takeTurn(paymentId: string, turn: Turn, previous: Turn | undefined): Promise<string | null> {
  await previous?.result.catch(() => undefined);
  turn.hasBegun = true;
  try {
    return await readAndBook(paymentId, turn.kinds);
  } finally {
    if (turns.get(paymentId) === turn) turns.delete(paymentId);
  }
}

/** Repeats if another instance booked a reading while this one was under way, because that one may be newer. */
async function readAndBook(paymentId: string, kinds: ReadonlySet<ReversalKind>): Promise<string | null> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const purchase = await prisma().purchase.findFirst({ where: { processorPaymentId: paymentId } });
    const reversals = await stripeProcessor.readReversals(paymentId, kinds);
    if (reversals === null) return null;
    if (purchase === null) {
      if (await adoptPayment(reversals.checkoutSessionId, paymentId)) continue;
      await noteConcerns(reversals.checkoutSessionId, reversals.concerns);
      return reversals.checkoutSessionId;
    }
    if (await bookReversals(purchase, reversals)) return null;
  }
  throw new Error('the reversals of a payment keep changing; the event must be retried');
}

/** Adds the payment to a purchase that was stored without it, or after it was looked for. */
async function adoptPayment(sessionId: string, processorPaymentId: string): Promise<boolean> {
  const { count } = await prisma().purchase.updateMany({
    where: { sessionId, OR: [{ processorPaymentId: null }, { processorPaymentId }] },
    data: { processorPaymentId },
  });
  return count === 1;
}

/**
 * Books amounts that were read after `purchase`. Returns false if a concurrent read booked different amounts in
 * the meantime.
 */
export function bookReversals(
  purchase: Purchase,
  reversals: Omit<ProcessorReversals, 'checkoutSessionId'>,
): Promise<boolean> {
  const { id, userId, sessionId, amountMinor, reversalsRead } = purchase;
  return inTransaction(async (tx) => {
    const reached = Math.max(reversals.refundedMinor, await settleReached(tx, id, reversals.refundedMinor));
    const refundedMinor = Math.min(reached, amountMinor);
    const disputedMinor = Math.min(reversals.disputedMinor, amountMinor - refundedMinor);
    // The sum is rounded, not its parts.
    const refunded = creditsTaken(purchase, refundedMinor);
    const reversed = creditsTaken(purchase, refundedMinor + disputedMinor);
    const { count } = await tx.purchase.updateMany({
      where: { id, reversalsRead },
      data: { refundedMinor, disputedMinor, reversalsRead: reversalsRead + 1 },
    });
    if (count === 0) {
      // Often the other one said the same: the response to a refund and the event about it.
      const same = await tx.purchase.count({ where: { id, refundedMinor, disputedMinor } });
      return same === 1 && reversals.concerns.length === 0;
    }
    await clawBack(tx, { userId, sessionId, refunded, disputed: microcredits(reversed - refunded) });
    const isMore = refundedMinor + disputedMinor > purchase.refundedMinor + purchase.disputedMinor;
    if (isMore) await turnOffForReversal(tx, sessionId);
    await noteConcerns(sessionId, reversals.concerns, tx);
    await correctInvoice(tx, { ...purchase, refundedMinor, disputedMinor });
    return true;
  });
}

/** Settles refunds by the user that the processor has made. Returns what one that it has not made yet amounts to. */
async function settleReached(tx: Tx, purchaseId: string, refundedMinor: number): Promise<number> {
  const open = { purchaseId, settledAt: null, isRefused: false };
  await tx.userRefund.updateMany({
    where: { ...open, targetMinor: { lte: refundedMinor } },
    data: { settledAt: nowDate() },
  });
  const { _max } = await tx.userRefund.aggregate({ where: open, _max: { targetMinor: true } });
  return _max.targetMinor ?? 0;
}

/** Computed from the cumulative amount and rounded down once, so that parts add up exactly. */
export function creditsTaken(
  { credits, amountMinor }: { credits: bigint; amountMinor: number },
  reversedMinor: number,
): Microcredits {
  const minor = Math.min(reversedMinor, amountMinor);
  return microcredits((credits * BigInt(minor)) / BigInt(amountMinor));
}
