import type Stripe from 'stripe';
import { newStripeId, unixSeconds } from './objects';
import type { Emulator } from './sessions';
import { invalidRequest } from './stripe-errors';

/** The bank takes the whole charge back until the dispute is decided. */
export async function openDispute({ records, webhooks }: Emulator, charge: Stripe.Charge): Promise<void> {
  const dispute = buildDispute(charge);
  await Promise.all([
    records.save('dispute', dispute.id, dispute),
    records.save('charge', charge.id, { ...charge, disputed: true }),
  ]);
  await webhooks.emit('charge.dispute.created', dispute);
}

export async function closeDispute(
  { records, webhooks }: Emulator,
  id: string,
  outcome: 'won' | 'lost',
): Promise<void> {
  const dispute = records.require('dispute', id);
  if (dispute.status !== 'needs_response') throw invalidRequest('This dispute is already closed.');
  const closed: Stripe.Dispute = { ...dispute, status: outcome, is_charge_refundable: false };
  await records.save('dispute', id, closed);
  await webhooks.emit('charge.dispute.closed', closed);
}

function buildDispute(charge: Stripe.Charge): Stripe.Dispute {
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
      due_by: null,
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
    status: 'needs_response',
  };
}
