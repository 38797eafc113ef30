import { closePaymentAlert } from '../checkout/alerts';
import { refundPurchase } from '../checkout/refund-purchase';
import { inTransaction, prisma } from '../db';
import { ApiError } from '../errors';
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
