import { creditsToJson, microcredits } from '../base/credits';
import { inTransaction, prisma } from '../base/db';
import { ApiError } from '../base/errors';
import { closePaymentAlert } from '../payments/checkout/alerts';
import type { ProcessorReference } from '../payments/checkout/payment-processor';
import { refundPurchase } from '../payments/checkout/refund-purchase';
import { creditPayment } from '../payments/checkout/uncredited-payments';
import { type Operator, recordAction, requireReason } from './record';

type Refund = {
  operator: Operator;
  purchaseId: string;
  /** In the currency of the purchase. Defaults to everything not refunded yet. */
  amount?: number | undefined;
  reason: string;
  /** Submitting the same refund twice refunds once. */
  refundId: string;
};

/**
 * The processor is called outside any transaction, so the audit log gets two entries: the requested
 * refund, before any money moves, and its outcome.
 */
export async function refundByOperator({ operator, purchaseId, amount, reason, refundId }: Refund) {
  const purchase = await prisma().purchase.findUnique({ where: { id: purchaseId } });
  if (purchase === null) throw new ApiError('not_found', 'There is no such purchase');
  const { userId: subject, currency, amountMinor, refundedMinor } = purchase;
  const before = { purchase: purchaseId, currency, paid: amountMinor / 100, refunded: refundedMinor / 100 };
  requireReason(reason);
  await inTransaction((tx) =>
    recordAction(tx, {
      operator,
      what: 'purchase.refund_asked',
      subject,
      reason,
      before,
      after: { amount: amount ?? (amountMinor - refundedMinor) / 100 },
    }),
  );
  const refund = await refundPurchase(purchaseId, amount, refundId);
  const after = { ...before, refunded: refund.refundedMinor / 100 };
  await inTransaction((tx) =>
    recordAction(tx, { operator, what: 'purchase.refunded', subject, reason, before, after }),
  );
  return refund;
}

/** Credits the payment of an alert: one whose checkout session was unknown here, or had ended. */
export async function creditAlert({
  operator,
  alertId,
  reason,
}: {
  operator: Operator;
  alertId: string;
  reason: string;
}): Promise<void> {
  const alert = await prisma().paymentAlert.findUnique({ where: { id: alertId } });
  if (alert?.closedAt !== null || alert.kind !== 'uncredited_payment')
    throw new ApiError('not_found', 'This alert is no longer open');
  const { processorSessionId, processorPaymentId } = alert;
  const reference = { processorSessionId, processorPaymentId };
  await creditPaymentByOperator({ operator, reference, reason });
}

export async function creditPaymentByOperator({
  operator,
  reference,
  reason,
}: {
  operator: Operator;
  reference: ProcessorReference;
  reason: string;
}): Promise<void> {
  requireReason(reason);
  await creditPayment(reference, (tx, { id, userId, amountMinor, currency, credits }) =>
    recordAction(tx, {
      operator,
      what: 'payment.credit',
      subject: userId,
      reason,
      after: {
        session: id,
        currency,
        paid: amountMinor / 100,
        credits: creditsToJson(microcredits(credits)),
      },
    }),
  );
}

/** Dismisses an alert, which removes it from the list. */
export async function dismissAlert({
  operator,
  alertId,
  reason,
}: {
  operator: Operator;
  alertId: string;
  reason: string;
}): Promise<void> {
  requireReason(reason);
  await inTransaction(async (tx) => {
    if (!(await closePaymentAlert(alertId, tx))) {
      throw new ApiError('not_found', 'This alert is no longer open');
    }
    await recordAction(tx, { operator, what: 'payment.dismiss', subject: alertId, reason });
  });
}
