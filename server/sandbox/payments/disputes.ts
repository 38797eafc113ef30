import type Stripe from 'stripe';
import { newStripeId } from './objects';
import type { Emulator } from './sessions';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';

type DisputeKind = 'dispute' | 'inquiry';

/** The bank takes the whole charge back until the dispute is decided; an inquiry takes nothing. */
export async function openDispute(
  { records, webhooks }: Emulator,
  charge: Stripe.Charge,
  kind: DisputeKind,
): Promise<void> {
  const dispute = buildDispute(charge, kind);
  await Promise.all([
    records.save('dispute', dispute.id, dispute),
    records.save('charge', charge.id, { ...charge, disputed: kind === 'dispute' }),
  ]);
  await webhooks.emit('charge.dispute.created', dispute);
}

export async function closeDispute(
  { records, webhooks }: Emulator,
  id: string,
  outcome: 'won' | 'lost' | 'warning_closed',
): Promise<void> {
  const dispute = records.require('dispute', id);
  if (!dispute.status.endsWith('needs_response')) throw invalidRequest('This dispute is already closed.');
  const closed: Stripe.Dispute = { ...dispute, status: outcome, is_charge_refundable: false };
  await records.save('dispute', id, closed);
  await webhooks.emit('charge.dispute.closed', closed);
}

const DAYS_TO_ANSWER = 9;

function buildDispute(charge: Stripe.Charge, kind: DisputeKind): Stripe.Dispute {
  return {
    id: newStripeId('du'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: unixSeconds(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    // The sandbox takes no evidence.
    evidence: {} as Stripe.Dispute.Evidence,
    evidence_details: {
      submission_method: null as never,
      due_by: unixSeconds() + DAYS_TO_ANSWER * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: kind === 'dispute' ? 'needs_response' : 'warning_needs_response',
  };
}
