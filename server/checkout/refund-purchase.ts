import type { Purchase } from '../../prisma/client/client';
import { prisma } from '../db';
import { ApiError, invariant } from '../errors';
import { toMinorUnits } from './amounts';
import { applyReversals } from './reversals';
import { stripeProcessor } from './stripe/processor';

/**
 * Gives a purchase back through the processor, in whole or in part, and takes its credits: the
 * operator's refund. The same refund asked for twice is one, while the first is not booked.
 */
export async function refundPurchase(
  purchaseId: string,
  /** In the purchase's currency; all that is left when omitted. */
  amount?: number,
): Promise<{ refundedMinor: number; leftMinor: number }> {
  const purchase = await prisma().purchase.findUnique({ where: { id: purchaseId } });
  if (purchase === null) throw new ApiError('not_found', 'There is no such purchase');
  const leftMinor = purchase.amountMinor - purchase.refundedMinor;
  const amountMinor = chooseAmount(leftMinor, amount);
  const paymentId = await requirePaymentId(purchase);
  const outcome = await stripeProcessor.refund({
    paymentId,
    amountMinor,
    key: `refund_${purchaseId}_${amountMinor}_after_${await countBookings(purchase)}`,
  });
  if (!outcome.ok) throw new ApiError('invalid_request', outcome.reason, { param: 'amount' });
  // The event says the same a moment later; the operator sees it now.
  await applyReversals(paymentId);
  const { refundedMinor } = await prisma().purchase.findUniqueOrThrow({ where: { id: purchaseId } });
  return { refundedMinor, leftMinor: purchase.amountMinor - refundedMinor };
}

/** Changes with whatever is taken back or restored: then the same amount is another refund. */
function countBookings({ userId, sessionId }: Purchase): Promise<number> {
  return prisma().ledgerTransaction.count({ where: { userId, kind: 'refund', relatedId: sessionId } });
}

function chooseAmount(leftMinor: number, amount: number | undefined): number {
  if (leftMinor === 0) {
    throw new ApiError('invalid_request', 'This purchase is refunded already', { param: 'amount' });
  }
  if (amount === undefined) return leftMinor;
  return toMinorUnits(amount, { minimum: 0.01, maximum: leftMinor / 100 });
}

async function requirePaymentId({ sessionId, processorPaymentId }: Purchase): Promise<string> {
  if (processorPaymentId !== null) return processorPaymentId;
  const session = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: sessionId } });
  invariant(session.processorSessionId, 'what was paid has a session at the processor');
  const told = await stripeProcessor.readSession(session.processorSessionId);
  if (!told?.paymentId) throw new ApiError('upstream_error', 'The processor does not know this payment');
  return told.paymentId;
}
