import type { Purchase } from '../../../prisma/client/client';
import { MINUTE_MS, now } from '../../base/clock';
import { prisma } from '../../base/db';
import { ApiError } from '../../base/errors';
import { describeError, log } from '../../base/log';
import { toMinorUnits } from './amounts';
import type { RefundOutcome } from './payment-processor';
import { readReported } from './reported-payment';
import { applyReversals, bookReversals } from './reversals';
import { stripeProcessor } from './stripe/processor';

/**
 * The operator's refund: refunds a purchase through the processor, in full or in part, and removes
 * its credits. Repeats are one refund, identified by `refundId`, or else by purchase, amount and
 * minute.
 */
export async function refundPurchase(
  purchaseId: string,
  /** In the purchase's currency. Defaults to everything not refunded yet. */
  amount?: number,
  /** Identifies this refund: one for each time the form is filled in. */
  refundId?: string,
): Promise<{ refundedMinor: number; leftMinor: number; isPending: boolean }> {
  const purchase = await prisma().purchase.findUnique({ where: { id: purchaseId } });
  if (purchase === null) throw new ApiError('not_found', 'This purchase does not exist.');
  const leftMinor = purchase.amountMinor - purchase.refundedMinor;
  const amountMinor = chooseAmount(leftMinor, amount);
  const id = refundId ?? (await nameRefund(purchase, amountMinor));
  const outcome = await refundPayment(purchase, amountMinor, id);
  if (!outcome.ok) throw new ApiError('invalid_request', outcome.reason, { param: 'amount' });
  const { refundedMinor } = await prisma().purchase.findUniqueOrThrow({ where: { id: purchaseId } });
  const { isPending } = outcome;
  return { refundedMinor, leftMinor: purchase.amountMinor - refundedMinor, isPending };
}

/** Refunds an amount, once for each id, and books what the processor says. */
export async function refundPayment(
  purchase: Purchase,
  amountMinor: number,
  id: string,
): Promise<RefundOutcome> {
  const paymentId = await requirePaymentId(purchase);
  const key = `refund_${purchase.id}_${id}`;
  const outcome = await stripeProcessor.refund({ paymentId, amountMinor, key });
  if (outcome.ok && !(await bookAnswer(purchase, outcome.refundedMinor))) await bookLatest(paymentId);
  return outcome;
}

/** The response to a refund says how much is refunded by now, so nothing is read. False if it is outdated. */
async function bookAnswer(purchase: Purchase, refundedMinor: number | null): Promise<boolean> {
  if (refundedMinor === null) return false;
  return bookReversals(purchase, { refundedMinor, disputedMinor: purchase.disputedMinor, concerns: [] });
}

/** The money is refunded even if this fails; the event of the refund does the same. */
async function bookLatest(paymentId: string): Promise<void> {
  try {
    await applyReversals(paymentId, 'refund');
  } catch (error) {
    log().warn({ payment_id: paymentId, error: describeError(error) }, 'could not book a refund yet');
  }
}

/** A second click falls into the same minute. After a failed refund, a new one may be made. */
async function nameRefund({ sessionId }: Purchase, amountMinor: number): Promise<string> {
  const failed = await prisma().paymentAlert.count({ where: { sessionId, kind: 'refund_failed' } });
  return `${amountMinor}_${Math.floor(now() / MINUTE_MS)}_${failed}`;
}

function chooseAmount(leftMinor: number, amount: number | undefined): number {
  if (leftMinor === 0) {
    throw new ApiError('invalid_request', 'This purchase has already been refunded in full.', {
      param: 'amount',
    });
  }
  if (amount === undefined) return leftMinor;
  return toMinorUnits(amount, { minimum: 0.01, maximum: leftMinor / 100 });
}

export async function requirePaymentId({ sessionId, processorPaymentId }: Purchase): Promise<string> {
  if (processorPaymentId !== null) return processorPaymentId;
  const session = await prisma().checkoutSession.findUniqueOrThrow({ where: { id: sessionId } });
  const payment = await readReported(session);
  if (!payment?.paymentId)
    throw new ApiError('upstream_error', 'The payment processor has no record of this payment.');
  return payment.paymentId;
}
