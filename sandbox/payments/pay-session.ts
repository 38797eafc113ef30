import { z } from 'zod';
import { type BankField, bankFormSchema, beginDebit, checkBankForm } from './bank-debits';
import { type BuyerField, buyerFields, checkBuyer, invoiceOf, withBuyer } from './buyer-details';
import { type CardField, cardFormSchema, checkCardForm } from './card-form';
import { AUTHENTICATION_FAILED, type CardOutcome, type Decline, findOutcome } from './cards';
import type { Emulator } from './emulator';
import { buildIntent, type Intent, type Session, type SetupIntent } from './objects';
import { chargeCard, doLater, saveAttempt } from './payment-intents';
import type { CardToUse, Records, SessionRecord } from './records';
import { detachCard, offeredCards, saveCard } from './saved-cards';
import { buildSetupIntent } from './setup-intents';

/** What the payment page shows next. */
export type PaymentResult =
  | { status: 'complete'; redirect_to: string | null }
  | { status: 'challenge'; last4: string }
  | { status: 'removed' }
  | { status: 'declined'; message: string; field: Decline['field'] }
  | { status: 'invalid'; errors: Partial<Record<CardField | BankField | BuyerField, string>> }
  | { status: 'expired' };

const submissionSchema = z.union([
  z.object({ challenge: z.enum(['complete', 'fail']) }),
  z.object({ remove: z.string() }),
  z.object({ saved: z.string(), ...buyerFields }),
  bankFormSchema.extend(buyerFields),
  cardFormSchema.extend({ ...buyerFields, save: z.string().max(20).optional() }),
]);
type Submission = z.output<typeof submissionSchema>;

export function readSubmission(body: unknown): Submission | null {
  return submissionSchema.safeParse(body).data ?? null;
}

/**
 * One submission of the payment page. Each step changes the records before it waits for
 * anything, so a second submission always sees what the first one did: nobody pays twice.
 */
export async function submitPayment(
  emulator: Emulator,
  sessionId: string,
  submission: Submission,
): Promise<PaymentResult> {
  const record = emulator.records.require('session', sessionId);
  if (record.session.status === 'complete') return complete(record.session);
  if (record.session.status !== 'open') return { status: 'expired' };
  if ('challenge' in submission) return answerChallenge(emulator, record, submission.challenge);
  if ('remove' in submission) return removeCard(emulator, record, submission.remove);
  const buyerErrors = checkBuyer(record.session, submission);
  const checked = checkMethod(emulator, record, submission);
  if ('errors' in checked) return { status: 'invalid', errors: { ...checked.errors, ...buyerErrors } };
  if (Object.keys(buyerErrors).length > 0) return { status: 'invalid', errors: buyerErrors };
  const ready = withBuyer(record, submission);
  if ('country' in submission) await keepAddress(emulator.records, ready.session, submission.country);
  if ('card' in checked) return payByCard(emulator, ready, checked.card);
  return complete(await beginDebit(emulator, ready, intentOf(emulator.records, ready), checked.account));
}

type Payable = Exclude<Submission, { challenge: string } | { remove: string }>;

function checkMethod({ records }: Emulator, { session }: SessionRecord, submission: Payable) {
  if ('iban' in submission) return checkBankForm(submission);
  if ('saved' in submission) {
    const offered = offeredCards(records, session).find(({ method }) => method.id === submission.saved);
    if (offered === undefined) return { errors: { number: 'This form does not offer this saved card.' } };
    const { details, isSetUp } = offered;
    return { card: { ...details, isSetUp, savedId: submission.saved } };
  }
  const checked = checkCardForm(submission);
  const saving = submission.save === 'accepted' && offersSaving(session);
  return 'card' in checked ? { card: { ...checked.card, saving } } : checked;
}

/** The tick box of a form for a known customer. */
export const offersSaving = ({ mode, customer, saved_payment_method_options: options }: Session): boolean =>
  mode === 'payment' && customer !== null && options?.payment_method_save === 'enabled';

async function removeCard(
  emulator: Emulator,
  { session }: SessionRecord,
  id: string,
): Promise<PaymentResult> {
  const isAllowed = session.saved_payment_method_options?.payment_method_remove === 'enabled';
  const isOffered = offeredCards(emulator.records, session).some(({ method }) => method.id === id);
  if (isAllowed && isOffered) await detachCard(emulator, id);
  return { status: 'removed' };
}

/** As `customer_update[address]` asks for. */
async function keepAddress(
  records: Records,
  { customer: id, automatic_tax }: Session,
  country: string | undefined,
): Promise<void> {
  const customer = id === null ? null : records.find('customer', id);
  if (customer === null || country === undefined || !automatic_tax.enabled) return;
  await records.save('customer', customer.id, { ...customer, address: { country } });
}

async function payByCard(emulator: Emulator, record: SessionRecord, card: CardToUse): Promise<PaymentResult> {
  const outcome = findOutcome(card.number);
  if (record.session.mode === 'setup')
    return outcome.kind === 'challenge'
      ? openChallenge(emulator, record, card)
      : setUpCard(emulator, record, card);
  if (outcome.kind === 'pays') return pay(emulator, record, card, outcome);
  if (outcome.kind === 'challenge') return openChallenge(emulator, record, card);
  return declinePayment(emulator, record, card, outcome.decline);
}

async function openChallenge(
  { records }: Emulator,
  record: SessionRecord,
  card: CardToUse,
): Promise<PaymentResult> {
  if (record.session.mode === 'setup') {
    await records.save('session', record.session.id, { ...record, challengedCard: card });
    return { status: 'challenge', last4: card.number.slice(-4) };
  }
  const intent: Intent = {
    ...intentOf(records, record),
    status: 'requires_action',
    next_action: { type: 'use_stripe_sdk' },
  };
  const session = { ...record.session, payment_intent: intent.id };
  await Promise.all([
    records.save('payment_intent', intent.id, intent),
    records.save('session', session.id, { ...record, session, challengedCard: card }),
  ]);
  return { status: 'challenge', last4: card.number.slice(-4) };
}

async function answerChallenge(
  emulator: Emulator,
  record: SessionRecord,
  answer: 'complete' | 'fail',
): Promise<PaymentResult> {
  const card = record.challengedCard;
  if (card === null) return { status: 'declined', ...AUTHENTICATION_FAILED };
  if (record.session.mode === 'setup')
    return answer === 'complete'
      ? setUpCard(emulator, record, card)
      : { status: 'declined', ...AUTHENTICATION_FAILED };
  if (answer === 'complete') return pay(emulator, record, card, { kind: 'pays' });
  return declinePayment(emulator, record, card, AUTHENTICATION_FAILED);
}

/** Saves a card without a payment, for payments without the buyer. */
async function setUpCard(emulator: Emulator, record: SessionRecord, card: CardToUse): Promise<PaymentResult> {
  const { records, webhooks } = emulator;
  const customer = record.session.customer ?? '';
  const { method } = await saveCard(emulator, card, {
    customer,
    allowRedisplay: record.allowRedisplay ?? 'limited',
    isSetUp: true,
  });
  const setup: SetupIntent = {
    ...buildSetupIntent({ customer, payment_method: method.id }),
    status: 'succeeded',
  };
  const session: Session = { ...record.session, setup_intent: setup.id, status: 'complete', url: null };
  await Promise.all([
    records.save('setup_intent', setup.id, setup),
    records.save('session', session.id, { ...record, session, challengedCard: null }),
  ]);
  await webhooks.emit('checkout.session.completed', session);
  return complete(session);
}

async function pay(
  emulator: Emulator,
  record: SessionRecord,
  card: CardToUse,
  outcome: CardOutcome,
): Promise<PaymentResult> {
  const open = intentOf(emulator.records, record);
  const attempt = chargeCard({ ...open, payment_method: card.savedId ?? null }, card, null);
  const { intent, charge } = attempt;
  const session: Session = {
    ...record.session,
    invoice: invoiceOf(record.session),
    payment_intent: intent.id,
    payment_status: 'paid',
    status: 'complete',
    url: null,
  };
  await Promise.all([
    emulator.records.save('session', session.id, { ...record, session, challengedCard: null }),
    saveAttempt(emulator, attempt),
  ]);
  if (card.saving && session.customer !== null)
    await saveCard(emulator, card, { customer: session.customer, allowRedisplay: 'always' });
  await emulator.webhooks.emit('payment_intent.succeeded', intent);
  await emulator.webhooks.emit('checkout.session.completed', session);
  await doLater(emulator, charge, outcome);
  return complete(session);
}

async function declinePayment(
  emulator: Emulator,
  record: SessionRecord,
  card: CardToUse,
  decline: Decline,
): Promise<PaymentResult> {
  const attempt = chargeCard(intentOf(emulator.records, record), card, decline);
  const session = { ...record.session, payment_intent: attempt.intent.id };
  await Promise.all([
    emulator.records.save('session', session.id, { ...record, session, challengedCard: null }),
    saveAttempt(emulator, attempt),
  ]);
  await emulator.webhooks.emit('payment_intent.payment_failed', attempt.intent);
  return { status: 'declined', message: decline.message, field: decline.field };
}

/** As at Stripe, the payment intent appears with the first attempt to pay. */
function intentOf(records: Records, { session, intentData }: SessionRecord): Intent {
  const { amount_total: amount, currency, customer, payment_intent: id } = session;
  return id === null
    ? buildIntent({ amount, currency, customer, ...intentData })
    : records.require('payment_intent', id);
}

function complete(session: Session): PaymentResult {
  const address =
    session.success_url ?? (session.redirect_on_completion === 'always' ? session.return_url : undefined);
  return {
    status: 'complete',
    redirect_to: address?.replaceAll('{CHECKOUT_SESSION_ID}', session.id) ?? null,
  };
}
