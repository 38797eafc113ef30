import type Stripe from 'stripe';
import { z } from 'zod';
import type { Form } from './form-encoding';
import { settleFraudWarnings } from './fraud-warnings';
import { formatMoney } from './money-text';
import { buildRefund } from './objects';
import { integer, metadata, oneOf, readParameters } from './read-parameters';
import type { Emulator } from './sessions';
import { invalidRequest, missingParameter, resourceMissing } from './stripe-errors';
import type { EventCause } from './webhook-sender';

const refundSchema = z.strictObject({
  amount: integer
    .pipe(z.number().min(1, { error: 'This value must be greater than or equal to 1.' }))
    .optional(),
  charge: z.string().optional(),
  payment_intent: z.string().optional(),
  reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer').optional(),
  metadata: metadata.optional(),
  expand: z.array(z.string()).optional(),
});

export async function createRefund(
  emulator: Emulator,
  form: Form,
  cause: EventCause,
): Promise<Stripe.Refund> {
  const { records, webhooks } = emulator;
  const given = readParameters(refundSchema, form);
  const charge = findCharge(emulator, given);
  const amount = chooseAmount(charge, given.amount);
  const refund = buildRefund(charge, amount, given);
  const refunded = charge.amount_refunded + amount;
  const changed: Stripe.Charge = {
    ...charge,
    amount_refunded: refunded,
    refunded: refunded === charge.amount,
  };
  await Promise.all([records.save('charge', charge.id, changed), records.save('refund', refund.id, refund)]);
  await webhooks.emit('refund.created', refund, cause);
  await webhooks.emit('charge.refunded', changed, cause);
  await settleFraudWarnings(emulator, changed);
  return refund;
}

/** The bank could not take the money: it is back with the seller. */
export async function failRefund({ records, webhooks }: Emulator, id: string): Promise<void> {
  const refund = records.require('refund', id);
  if (refund.status === 'failed') throw invalidRequest('This refund has already failed.');
  const failed: Stripe.Refund = { ...refund, status: 'failed', failure_reason: 'expired_or_canceled_card' };
  const charge = records.require('charge', String(refund.charge));
  const amount_refunded = charge.amount_refunded - refund.amount;
  await Promise.all([
    records.save('refund', id, failed),
    records.save('charge', charge.id, { ...charge, amount_refunded, refunded: false }),
  ]);
  await webhooks.emit('refund.updated', failed);
  await webhooks.emit('refund.failed', failed);
}

function findCharge({ records }: Emulator, given: z.output<typeof refundSchema>): Stripe.Charge {
  if (given.charge !== undefined) return records.require('charge', given.charge, 'charge');
  if (given.payment_intent === undefined) throw missingParameter('payment_intent');
  const intent = records.find('payment_intent', given.payment_intent);
  if (intent === null) throw resourceMissing('payment_intent', given.payment_intent, 'payment_intent');
  if (intent.status === 'succeeded' && typeof intent.latest_charge === 'string')
    return records.require('charge', intent.latest_charge);
  throw invalidRequest('This PaymentIntent does not have a successful charge to refund.', {
    param: 'payment_intent',
  });
}

function chooseAmount(charge: Stripe.Charge, given: number | undefined): number {
  if (!charge.paid) throw invalidRequest('This charge has not been paid.', { param: 'charge' });
  const left = charge.amount - charge.amount_refunded;
  if (left === 0)
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  if (given !== undefined && given > left) {
    const amounts = [given, left].map((amount) => formatMoney(amount, charge.currency));
    throw invalidRequest(
      `Refund amount (${amounts[0]}) is greater than unrefunded amount on charge (${amounts[1]})`,
      { param: 'amount' },
    );
  }
  return given ?? left;
}
