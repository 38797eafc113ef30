import { z } from 'zod';
import { refuseDisputed, settleInquiries } from './disputes';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { settleFraudWarnings } from './fraud-warnings';
import { formatMoney } from './money-text';
import { type Charge, newStripeId, type Refund } from './objects';
import { oneOf, positiveAmount, readParameters } from './read-parameters';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';

type UndecidedRefund = 'pending' | 'requires_action';

const refundSchema = z.strictObject({
  amount: positiveAmount.optional(),
  payment_intent: z.string(),
  reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer').optional(),
});

/** The bank decides the next refund later. */
let nextStatus: UndecidedRefund | null = null;

export function leaveNextRefund(status: UndecidedRefund | null): void {
  nextStatus = status;
}

export async function createRefund(emulator: Emulator, form: Form): Promise<Refund> {
  const { records, webhooks } = emulator;
  const { expand: _, ...parameters } = form;
  const given = readParameters(refundSchema, parameters);
  const charge = requirePaidCharge(emulator, given.payment_intent);
  refuseDisputed(emulator, charge);
  const refund: Refund = {
    id: newStripeId('re'),
    object: 'refund',
    amount: chooseAmount(charge, given.amount),
    charge: charge.id,
    created: unixSeconds(),
    currency: charge.currency,
    payment_intent: charge.payment_intent,
    reason: given.reason ?? null,
    status: nextStatus ?? 'succeeded',
  };
  nextStatus = null;
  const amount_refunded = charge.amount_refunded + refund.amount;
  const changed = { ...charge, amount_refunded, refunded: amount_refunded === charge.amount };
  await Promise.all([records.save('charge', charge.id, changed), records.save('refund', refund.id, refund)]);
  await webhooks.emit('refund.created', refund);
  await webhooks.emit('charge.refunded', changed);
  await settleFraudWarnings(emulator, changed);
  if (changed.refunded) await settleInquiries(emulator, changed);
  return refund;
}

/** The bank pays out a refund that it had not decided. */
export async function finishRefund({ records, webhooks }: Emulator, id: string): Promise<void> {
  const refund: Refund = { ...records.require('refund', id), status: 'succeeded' };
  await records.save('refund', id, refund);
  await webhooks.emit('refund.updated', refund);
}

/** The bank rejects the money and returns it to the seller. */
export async function failRefund({ records, webhooks }: Emulator, id: string): Promise<void> {
  const refund = records.require('refund', id);
  if (refund.status === 'failed') throw invalidRequest('This refund has already failed.');
  const failed: Refund = { ...refund, status: 'failed', failure_reason: 'expired_or_canceled_card' };
  const charge = records.require('charge', refund.charge);
  const amount_refunded = charge.amount_refunded - refund.amount;
  await Promise.all([
    records.save('refund', id, failed),
    records.save('charge', charge.id, { ...charge, amount_refunded, refunded: false }),
  ]);
  await webhooks.emit('refund.updated', failed);
  await webhooks.emit('refund.failed', failed);
}

function requirePaidCharge({ records }: Emulator, paymentId: string): Charge {
  const intent = records.require('payment_intent', paymentId, 'payment_intent');
  if (intent.status === 'succeeded' && intent.latest_charge !== null)
    return records.require('charge', intent.latest_charge);
  throw invalidRequest('This PaymentIntent does not have a successful charge to refund.', {
    param: 'payment_intent',
  });
}

function chooseAmount(charge: Charge, given: number | undefined): number {
  const left = charge.amount - charge.amount_refunded;
  if (left === 0) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  }
  if (given === undefined || given <= left) return given ?? left;
  const [wanted, possible] = [given, left].map((amount) => formatMoney(amount, charge.currency));
  throw invalidRequest(
    `Refund amount (${wanted}) is greater than unrefunded amount on charge (${possible})`,
    { param: 'amount' },
  );
}
