import Stripe from 'stripe';
import type {
  Concern,
  ProcessorReversals,
  RefundOutcome,
  Reversal,
  ReversalKind,
} from '../payment-processor';
import { isMissing, stripe } from './client';
import { REVERSAL_EVENT_TYPES, readReversal } from './events';

/** Dispute states in which no money is withdrawn: inquiries, and won or prevented disputes. */
const HARMLESS_DISPUTE = /^(warning_.*|won|prevented)$/;
const DECIDED_DISPUTE = /^(won|lost|warning_closed|prevented)$/;
const NEEDS_RESPONSE = /needs_response$/;
const VOID_REFUND = /^(failed|canceled)$/;
/** The bank, or the buyer, has yet to act. */
const PENDING_REFUND = /^(pending|requires_action)$/;
const PAGE_SIZE = 100;

export async function readReversals(
  paymentId: string,
  kinds: ReadonlySet<ReversalKind>,
): Promise<ProcessorReversals | null> {
  const intent = await findIntent(paymentId);
  const checkoutSessionId = intent?.metadata.checkout_session;
  if (!intent || checkoutSessionId === undefined) return null;
  const charge = chargeOf(intent);
  const about = { payment_intent: paymentId, limit: PAGE_SIZE };
  const [refunds, disputes, warnings] = await Promise.all([
    kinds.has('refund') || charge?.amount_refunded ? readAll(stripe().refunds.list(about)) : [],
    kinds.has('dispute') || charge?.disputed ? readAll(stripe().disputes.list(about)) : [],
    kinds.has('warning') ? readAll(stripe().radar.earlyFraudWarnings.list(about)) : [],
  ]);
  return {
    checkoutSessionId,
    refundedMinor: sumAmounts(refunds.filter(({ status }) => !VOID_REFUND.test(status ?? ''))),
    disputedMinor: sumAmounts(disputes.filter(({ status }) => !HARMLESS_DISPUTE.test(status))),
    concerns: [
      ...disputes.map(describeDispute),
      ...warnings.map(describeWarning),
      ...refunds.filter(({ status }) => status === 'failed').map(describeFailedRefund),
    ],
  };
}

/** Null for a payment that our key cannot see: of another mode, or of a connected account. */
async function findIntent(paymentId: string): Promise<Stripe.PaymentIntent | null> {
  try {
    return await stripe().paymentIntents.retrieve(paymentId, { expand: ['latest_charge'] });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function chargeOf({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof charge === 'object' ? charge : null;
}

/** All pages: a page that is missing would return credits. */
async function readAll<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

export async function* listReversals(since: Date): AsyncGenerator<Reversal> {
  const created = { gte: Math.floor(since.getTime() / 1000) };
  const events = stripe().events.list({ types: REVERSAL_EVENT_TYPES, created, limit: PAGE_SIZE });
  for await (const event of events) {
    const reversal = readReversal(event);
    if (reversal !== null) yield reversal;
  }
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
    needsResponse: NEEDS_RESPONSE.test(status),
    takesMoney: !HARMLESS_DISPUTE.test(status),
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
    needsResponse: actionable,
    takesMoney: false,
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
    needsResponse: true,
    takesMoney: false,
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
    const { charge, status, lastResponse } = await stripe().refunds.create(
      {
        payment_intent: paymentId,
        amount: amountMinor,
        reason: 'requested_by_customer',
        expand: ['charge'],
      },
      { idempotencyKey: key },
    );
    // A replayed response shows the total of that time.
    const isCurrent = lastResponse.headers['idempotent-replayed'] !== 'true' && typeof charge === 'object';
    const refundedMinor = isCurrent && charge !== null ? charge.amount_refunded : null;
    return { ok: true, refundedMinor, isPending: PENDING_REFUND.test(status ?? '') };
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return { ok: false, reason: error.message };
    throw error;
  }
}
