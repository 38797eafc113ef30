import { z } from 'zod';
import type { CardDetails } from './card-form';
import { AUTHENTICATION_REQUIRED, type CardOutcome, type Decline, findOutcome } from './cards';
import type { Form } from './form-encoding';
import { buildCharge, buildIntent, type Charge, type Intent } from './objects';
import { currency, integer, metadata, readParameters } from './read-parameters';
import type { Emulator } from './sessions';
import { resourceMissing, StripeError } from './stripe-errors';

/** Stripe's names for saved test cards, as `payment_method`. */
const SAVED_CARDS: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_createDispute: '4000000000000259',
};

const yes = z.literal('true', { error: 'the sandbox supports true only' });

const intentSchema = z.strictObject({
  amount: integer.pipe(z.number().min(50, { error: 'Amount must be at least 50' })),
  currency,
  payment_method: z.string(),
  confirm: yes,
  off_session: yes,
  customer: z.string().nullable().default(null),
  description: z.string().optional(),
  metadata: metadata.default({}),
  transfer_group: z.string().optional(),
  statement_descriptor_suffix: z.string().max(22).optional(),
});

/** A payment with a saved card while the buyer is absent, created and confirmed in one call. */
export async function payOffSession(emulator: Emulator, form: Form): Promise<Intent> {
  const { confirm: _, off_session: __, ...given } = readParameters(intentSchema, form);
  if (given.customer !== null) emulator.records.require('customer', given.customer, 'customer');
  const number = SAVED_CARDS[given.payment_method];
  if (number === undefined) throw resourceMissing('PaymentMethod', given.payment_method, 'payment_method');
  const card = { number, expiryMonth: 12, expiryYear: 2040, name: 'Saved card' };
  const refusal = refusalOf(findOutcome(number));
  const attempt = chargeCard(buildIntent(given), card, refusal);
  const { intent, charge } = attempt;
  await saveAttempt(emulator, attempt);
  if (refusal === null) {
    await emulator.webhooks.emit('payment_intent.succeeded', intent);
    return intent;
  }
  await emulator.webhooks.emit('payment_intent.payment_failed', intent);
  throw new StripeError(402, { ...describeRefusal(refusal, charge.id), payment_intent: intent });
}

function refusalOf(outcome: CardOutcome): Decline | null {
  if (outcome.kind === 'declines') return outcome.decline;
  // An absent buyer cannot pass 3-D Secure.
  return outcome.kind === 'challenge' ? AUTHENTICATION_REQUIRED : null;
}

type Attempt = { intent: Intent; charge: Charge };

/** The payment and its charge after a card was charged or refused, neither saved yet. */
export function chargeCard(open: Intent, card: CardDetails, refusal: Decline | null): Attempt {
  const { expiryMonth: exp_month, expiryYear: exp_year, number } = card;
  const charge = buildCharge(open, {
    type: 'card',
    card: { brand: 'visa', exp_month, exp_year, last4: number.slice(-4) },
  });
  return conclude(open, charge, refusal && describeRefusal(refusal, charge.id));
}

/** The payment and its charge once the bank has decided; without an error it is paid. */
export function conclude(open: Intent, pending: Charge, error: Intent['last_payment_error']): Attempt {
  const isPaid = error === null;
  const charge: Charge = { ...pending, paid: isPaid, status: isPaid ? 'succeeded' : 'failed' };
  const intent: Intent = {
    ...open,
    amount_received: isPaid ? open.amount : 0,
    last_payment_error: error,
    latest_charge: charge.id,
    next_action: null,
    payment_method: open.payment_method ?? charge.payment_method,
    status: isPaid ? 'succeeded' : 'requires_payment_method',
  };
  return { intent, charge };
}

export async function saveAttempt({ records }: Emulator, { intent, charge }: Attempt): Promise<void> {
  await Promise.all([
    records.save('charge', charge.id, charge),
    records.save('payment_intent', intent.id, intent),
  ]);
}

function describeRefusal({ code, declineCode, message }: Decline, charge: string) {
  return { type: 'card_error' as const, charge, code, decline_code: declineCode, message };
}
