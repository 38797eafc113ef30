import type Stripe from 'stripe';
import { z } from 'zod';
import type { CardDetails } from './card-form';
import { AUTHENTICATION_REQUIRED, type CardOutcome, type Decline, findOutcome } from './cards';
import type { Form } from './form-encoding';
import { buildCharge, buildIntent } from './objects';
import { integer, metadata, oneOf, readParameters } from './read-parameters';
import type { Emulator } from './sessions';
import { invalidRequest, resourceMissing, StripeError } from './stripe-errors';
import type { EventCause } from './webhook-sender';

/** Stripe's names of saved test cards, as `payment_method`. */
const SAVED_CARDS: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_createDispute: '4000000000000259',
};

const yes = z.literal('true', { error: 'Invalid boolean: the sandbox wants true' });

const intentSchema = z.strictObject({
  amount: integer.pipe(z.number().min(50, { error: 'Amount must be at least 50' })),
  currency: z
    .string()
    .regex(/^[a-zA-Z]{3}$/, { error: 'Invalid currency' })
    .toLowerCase(),
  payment_method: z.string(),
  confirm: yes,
  off_session: yes,
  customer: z.string().optional(),
  description: z.string().optional(),
  metadata: metadata.optional(),
  receipt_email: z.string().optional(),
  transfer_group: z.string().optional(),
  statement_descriptor_suffix: z.string().max(22).optional(),
  payment_method_types: z.array(oneOf('card')).optional(),
  expand: z.array(z.string()).optional(),
});

/** A payment without the buyer, with a saved card: made and confirmed at once. */
export async function payOffSession(
  emulator: Emulator,
  form: Form,
  cause: EventCause,
): Promise<Stripe.PaymentIntent> {
  const given = readParameters(intentSchema, form);
  if (given.customer !== undefined) emulator.records.require('customer', given.customer, 'customer');
  const number = SAVED_CARDS[given.payment_method];
  if (number === undefined) throw resourceMissing('PaymentMethod', given.payment_method, 'payment_method');
  const { confirm: _, off_session: __, payment_method_types: ___, expand: ____, ...data } = given;
  const intent = { ...buildIntent(given), ...data } as Stripe.PaymentIntent;
  const refusal = refusalOf(findOutcome(number));
  return settle(emulator, intent, { number, refusal, cause });
}

function refusalOf(outcome: CardOutcome): Decline | null {
  if (outcome.kind === 'declines') return outcome.decline;
  // Nobody is there to confirm it.
  return outcome.kind === 'challenge' ? AUTHENTICATION_REQUIRED : null;
}

async function settle(
  { records, webhooks }: Emulator,
  intent: Stripe.PaymentIntent,
  { number, refusal, cause }: { number: string; refusal: Decline | null; cause: EventCause },
): Promise<Stripe.PaymentIntent> {
  const card: CardDetails = { number, expiryMonth: 12, expiryYear: 2040, name: 'Saved card' };
  const charge = buildCharge(intent, { card, failure: refusal });
  const settled: Stripe.PaymentIntent = {
    ...intent,
    latest_charge: charge.id,
    ...(refusal === null
      ? { status: 'succeeded', amount_received: intent.amount }
      : { status: 'requires_payment_method', last_payment_error: describeRefusal(refusal, charge.id) }),
  };
  await Promise.all([
    records.save('charge', charge.id, charge),
    records.save('payment_intent', settled.id, settled),
  ]);
  if (refusal === null) {
    await webhooks.emit('payment_intent.succeeded', settled, cause);
    return settled;
  }
  await webhooks.emit('payment_intent.payment_failed', settled, cause);
  throw new StripeError(402, { ...describeRefusal(refusal, charge.id), payment_intent: settled });
}

export function describeRefusal(
  { code, declineCode, message }: Decline,
  charge: string,
): Stripe.PaymentIntent.LastPaymentError & { type: 'card_error'; message: string } {
  return { type: 'card_error', charge, code, decline_code: declineCode, message };
}

/** Gives up a payment that was never made. */
export async function cancelIntent({ records }: Emulator, id: string): Promise<Stripe.PaymentIntent> {
  const intent = records.require('payment_intent', id, 'intent');
  if (!['requires_payment_method', 'requires_action'].includes(intent.status)) {
    throw invalidRequest(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
      { code: 'payment_intent_unexpected_state' },
    );
  }
  const canceled: Stripe.PaymentIntent = { ...intent, status: 'canceled', canceled_at: intent.created };
  await records.save('payment_intent', id, canceled);
  return canceled;
}
