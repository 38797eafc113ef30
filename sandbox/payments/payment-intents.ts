import { z } from 'zod';
import type { CardDetails } from './card-form';
import {
  AUTHENTICATION_FAILED,
  AUTHENTICATION_REQUIRED,
  type CardOutcome,
  type Decline,
  findOutcome,
} from './cards';
import { openDispute } from './disputes';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { openFraudWarning } from './fraud-warnings';
import { buildCharge, buildIntent, type Charge, type Intent } from './objects';
import { currency, flag, integer, metadata, readParameters, url } from './read-parameters';
import { describeCard, requireCard } from './saved-cards';
import { invalidRequest, StripeError } from './stripe-errors';

const CARD_ONLY = z.tuple([z.literal('card', { error: 'the sandbox charges saved cards only' })]);

const intentSchema = z.strictObject({
  allowed_payment_method_types: CARD_ONLY,
  amount: integer.pipe(z.number().min(50, { error: 'Amount must be at least 50' })),
  currency,
  customer: z.string(),
  description: z.string().optional(),
  hooks: z.object({ inputs: z.object({ tax: z.object({ calculation: z.string() }) }) }).optional(),
  metadata: metadata.default({}),
  payment_method: z.string(),
  statement_descriptor_suffix: z.string().max(22).optional(),
  transfer_group: z.string().optional(),
});

/** A payment with a saved card. It moves no money until it is confirmed. */
export async function createIntent({ records }: Emulator, form: Form): Promise<Intent> {
  const { allowed_payment_method_types: _, ...given } = readParameters(intentSchema, form);
  records.require('customer', given.customer, 'customer');
  requireCard(records, given.customer, given.payment_method);
  if (given.hooks) requireCalculation(records, given.hooks.inputs.tax.calculation, given.amount);
  const intent: Intent = { ...buildIntent(given), status: 'requires_confirmation' };
  await records.save('payment_intent', intent.id, intent);
  return intent;
}

function requireCalculation(records: Emulator['records'], id: string, amount: number): void {
  const { amount_total } = records.require('tax_calculation', id, 'hooks[inputs][tax][calculation]');
  if (amount_total === amount) return;
  throw invalidRequest('The amount of the tax calculation does not match the PaymentIntent.', {
    param: 'hooks[inputs][tax][calculation]',
  });
}

const confirmSchema = z
  .strictObject({
    off_session: flag.optional(),
    payment_method: z.string().optional(),
    return_url: url.optional(),
  })
  .refine(({ off_session, return_url }) => !off_session || return_url === undefined, {
    error: 'the sandbox returns only buyers that are present',
    path: ['return_url'],
  });

const CONFIRMABLE = /^requires_(payment_method|confirmation)$/;

/** Charges the card, or asks for 3-D Secure: a present buyer can pass it on the page of the sandbox's bank. */
export async function confirmIntent(emulator: Emulator, id: string, form: Form): Promise<Intent> {
  const given = readParameters(confirmSchema, form);
  const open = emulator.records.require('payment_intent', id, 'intent');
  if (!CONFIRMABLE.test(open.status)) throw unexpectedState(open, 'confirm');
  const cardId = given.payment_method ?? open.payment_method;
  if (cardId === null || open.customer === null)
    throw unexpectedState(open, 'confirm', 'because it is missing a payment method');
  const { details, isSetUp } = requireCard(emulator.records, open.customer, cardId);
  const intent = { ...open, payment_method: cardId };
  const outcome = findOutcome(details.number);
  const needsBuyer = outcome.kind === 'challenge' && !(outcome.unlessSetUp && isSetUp);
  if (needsBuyer && given.return_url !== undefined) return askBuyer(emulator, intent, given.return_url);
  if (outcome.kind === 'declines') return refuse(emulator, intent, details, outcome.decline);
  if (needsBuyer) return refuse(emulator, intent, details, AUTHENTICATION_REQUIRED);
  return take(emulator, intent, details, outcome);
}

function unexpectedState({ status }: Intent, verb: string, why?: string): StripeError {
  return invalidRequest(
    `You cannot ${verb} this PaymentIntent ${why ?? `because it has a status of ${status}`}.`,
    { code: 'payment_intent_unexpected_state' },
  );
}

async function askBuyer({ records, baseUrl }: Emulator, open: Intent, return_url: string): Promise<Intent> {
  const intent: Intent = {
    ...open,
    last_payment_error: null,
    next_action: {
      type: 'redirect_to_url',
      redirect_to_url: { return_url, url: `${baseUrl()}/bank/${open.client_secret ?? ''}` },
    },
    status: 'requires_action',
  };
  await records.save('payment_intent', intent.id, intent);
  return intent;
}

async function refuse(emulator: Emulator, open: Intent, card: CardDetails, decline: Decline): Promise<never> {
  const { intent, charge } = await saveRefusal(emulator, open, card, decline);
  throw new StripeError(402, { ...describeRefusal(decline, charge.id), payment_intent: intent });
}

async function saveRefusal(
  emulator: Emulator,
  open: Intent,
  card: CardDetails,
  decline: Decline,
): Promise<Attempt> {
  const attempt = chargeCard(open, card, decline);
  await saveAttempt(emulator, attempt);
  await emulator.webhooks.emit('payment_intent.payment_failed', attempt.intent);
  return attempt;
}

async function take(
  emulator: Emulator,
  open: Intent,
  card: CardDetails,
  outcome: CardOutcome,
): Promise<Intent> {
  const attempt = chargeCard(open, card, null);
  await saveAttempt(emulator, attempt);
  await emulator.webhooks.emit('payment_intent.succeeded', attempt.intent);
  await doLater(emulator, attempt.charge, outcome);
  return attempt.intent;
}

/** What some test cards bring after they paid. */
export async function doLater(emulator: Emulator, charge: Charge, outcome: CardOutcome): Promise<void> {
  const later = outcome.kind === 'pays' ? outcome.later : undefined;
  if (later === 'warning') await openFraudWarning(emulator, charge);
  else if (later !== undefined)
    await openDispute(emulator, charge, later === 'inquiry' ? 'warning_needs_response' : 'needs_response');
}

/** The buyer answers on the page of the bank. */
export async function answerBank(emulator: Emulator, open: Intent, passes: boolean): Promise<Intent> {
  const { details } = requireCard(emulator.records, open.customer ?? '', open.payment_method ?? '');
  if (passes) return take(emulator, open, details, { kind: 'pays' });
  return (await saveRefusal(emulator, open, details, AUTHENTICATION_FAILED)).intent;
}

export async function cancelIntent({ records, webhooks }: Emulator, id: string): Promise<Intent> {
  const open = records.require('payment_intent', id, 'intent');
  if (/^(succeeded|canceled|processing)$/.test(open.status)) throw unexpectedState(open, 'cancel');
  const intent: Intent = { ...open, next_action: null, status: 'canceled' };
  await records.save('payment_intent', id, intent);
  await webhooks.emit('payment_intent.canceled', intent);
  return intent;
}

type Attempt = { intent: Intent; charge: Charge };

/** The payment and its charge after a card was charged or refused, neither saved yet. */
export function chargeCard(open: Intent, card: CardDetails, refusal: Decline | null): Attempt {
  const charge = buildCharge(open, { type: 'card', card: describeCard(card) });
  return conclude(open, charge, refusal && describeRefusal(refusal, charge.id));
}

/** The payment and its charge once the bank has decided; without an error it is paid. */
export function conclude(open: Intent, pending: Charge, error: Intent['last_payment_error']): Attempt {
  const isPaid = error === null;
  const charge: Charge = { ...pending, paid: isPaid, status: isPaid ? 'succeeded' : 'failed' };
  const card = open.payment_method ?? charge.payment_method;
  const intent: Intent = {
    ...open,
    amount_received: isPaid ? open.amount : 0,
    // As at Stripe, a refused payment no longer holds its card, only the error does.
    last_payment_error: error && withCard(error, card),
    latest_charge: charge.id,
    next_action: null,
    payment_method: isPaid ? card : null,
    status: isPaid ? 'succeeded' : 'requires_payment_method',
  };
  return { intent, charge };
}

const withCard = (error: PaymentError, id: string) =>
  ({ ...error, payment_method: { id, object: 'payment_method' } }) as PaymentError;
type PaymentError = NonNullable<Intent['last_payment_error']>;

export async function saveAttempt({ records }: Emulator, { intent, charge }: Attempt): Promise<void> {
  await Promise.all([
    records.save('charge', charge.id, charge),
    records.save('payment_intent', intent.id, intent),
  ]);
}

export function describeRefusal({ code, declineCode, message }: Decline, charge?: string) {
  return {
    type: 'card_error' as const,
    ...(charge !== undefined && { charge }),
    code,
    decline_code: declineCode,
    message,
  };
}
