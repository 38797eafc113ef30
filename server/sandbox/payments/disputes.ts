import type Stripe from 'stripe';
import { type Charge, newStripeId } from './objects';
import type { Emulator } from './sessions';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';

export type Dispute = Pick<
  Stripe.Dispute,
  'id' | 'object' | 'amount' | 'currency' | 'is_charge_refundable' | 'reason' | 'status'
> & { charge: string; evidence_details: { due_by: number }; payment_intent: string };

const SECONDS_TO_RESPOND = 9 * 86_400;

/** A dispute takes the whole charge back until it is decided; an inquiry takes nothing. */
export async function openDispute(
  { records, webhooks }: Emulator,
  charge: Charge,
  kind: 'dispute' | 'inquiry',
): Promise<void> {
  const dispute: Dispute = {
    id: newStripeId('du'),
    object: 'dispute',
    amount: charge.amount,
    charge: charge.id,
    currency: charge.currency,
    evidence_details: { due_by: unixSeconds() + SECONDS_TO_RESPOND },
    is_charge_refundable: false,
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: kind === 'dispute' ? 'needs_response' : 'warning_needs_response',
  };
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
  const closed: Dispute = { ...dispute, status: outcome };
  await records.save('dispute', id, closed);
  await webhooks.emit('charge.dispute.closed', closed);
}
