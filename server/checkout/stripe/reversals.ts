import Stripe from 'stripe';
import type { Concern, ProcessorReversals, RefundOutcome } from '../payment-processor';
import { stripe } from './client';

/** Dispute states in which no money is withdrawn: inquiries, and won or prevented disputes. */
const HARMLESS_DISPUTE = /^(warning_.*|won|prevented)$/;
const DECIDED_DISPUTE = /^(won|lost|warning_closed|prevented)$/;
const VOID_REFUND = /^(failed|canceled)$/;
const MAX_PER_PAYMENT = 100;

export async function readReversals(paymentId: string): Promise<ProcessorReversals | null> {
  const about = { payment_intent: paymentId, limit: MAX_PER_PAYMENT };
  const [intent, refunds, disputes, warnings] = await Promise.all([
    stripe().paymentIntents.retrieve(paymentId),
    stripe().refunds.list(about),
    stripe().disputes.list(about),
    stripe().radar.earlyFraudWarnings.list(about),
  ]);
  const checkoutSessionId = intent.metadata.checkout_session;
  if (checkoutSessionId === undefined) return null;
  return {
    checkoutSessionId,
    refundedMinor: sumAmounts(refunds.data.filter(({ status }) => !VOID_REFUND.test(status ?? ''))),
    disputedMinor: sumAmounts(disputes.data.filter(({ status }) => !HARMLESS_DISPUTE.test(status))),
    concerns: [
      ...disputes.data.map(describeDispute),
      ...warnings.data.map(describeWarning),
      ...refunds.data.filter(({ status }) => status === 'failed').map(describeFailedRefund),
    ],
  };
}

function sumAmounts(parts: { amount: number }[]): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

function describeDispute({ id, amount, reason, status, evidence_details }: Stripe.Dispute): Concern {
  const dueBy = evidence_details.due_by;
  return {
    id,
    kind: 'dispute',
    amountMinor: amount,
    detail: `${reason}, ${status}`,
    dueAt: dueBy === null ? null : new Date(dueBy * 1000),
    isOpen: !DECIDED_DISPUTE.test(status),
  };
}

/** The card network reports that the payment will probably be disputed as fraudulent. */
function describeWarning({ id, fraud_type, actionable }: Stripe.Radar.EarlyFraudWarning): Concern {
  return {
    id,
    kind: 'early_fraud_warning',
    amountMinor: null,
    detail: fraud_type,
    dueAt: null,
    isOpen: actionable,
  };
}

function describeFailedRefund({ id, amount, failure_reason }: Stripe.Refund): Concern {
  return {
    id,
    kind: 'refund_failed',
    amountMinor: amount,
    detail: failure_reason ?? 'unknown',
    dueAt: null,
    isOpen: true,
  };
}

/** A permanent refusal by Stripe is returned; a temporary failure is thrown. */
export async function refund({
  paymentId,
  amountMinor,
  key,
}: {
  paymentId: string;
  amountMinor: number;
  key: string;
}): Promise<RefundOutcome> {
  try {
    await stripe().refunds.create(
      { payment_intent: paymentId, amount: amountMinor, reason: 'requested_by_customer' },
      { idempotencyKey: key },
    );
    return { ok: true };
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return { ok: false, reason: error.message };
    throw error;
  }
}
