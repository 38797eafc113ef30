import { z } from 'zod';
import { type BankField, bankFormSchema, beginDebit, checkBankForm } from './bank-debits';
import { type BuyerField, buyerFields, checkBuyer, invoiceOf, withBuyer } from './buyer-details';
import { type CardDetails, type CardField, cardFormSchema, checkCardForm } from './card-form';
import { AUTHENTICATION_FAILED, type CardOutcome, type Decline, findOutcome } from './cards';
import { openDispute } from './disputes';
import { openFraudWarning } from './fraud-warnings';
import { buildIntent, type Intent, type Session } from './objects';
import { chargeCard, saveAttempt } from './payment-intents';
import type { Records, SessionRecord } from './records';
import type { Emulator } from './sessions';

/** What the payment page shows next. */
export type PaymentResult =
  | { status: 'complete'; redirect_to: string | null }
  | { status: 'challenge'; last4: string }
  | { status: 'declined'; message: string; field: Decline['field'] }
  | { status: 'invalid'; errors: Partial<Record<CardField | BankField | BuyerField, string>> }
  | { status: 'expired' };

const submissionSchema = z.union([
  z.object({ challenge: z.enum(['complete', 'fail']) }),
  bankFormSchema.extend(buyerFields),
  cardFormSchema.extend(buyerFields),
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
  const buyerErrors = checkBuyer(record.session, submission);
  const checked = 'iban' in submission ? checkBankForm(submission) : checkCardForm(submission);
  if ('errors' in checked) return { status: 'invalid', errors: { ...checked.errors, ...buyerErrors } };
  if (Object.keys(buyerErrors).length > 0) return { status: 'invalid', errors: buyerErrors };
  const ready = withBuyer(record, submission);
  if ('card' in checked) return payByCard(emulator, ready, checked.card);
  return complete(await beginDebit(emulator, ready, intentOf(emulator.records, ready), checked.account));
}

async function payByCard(
  emulator: Emulator,
  record: SessionRecord,
  card: CardDetails,
): Promise<PaymentResult> {
  const outcome = findOutcome(card.number);
  if (outcome.kind === 'pays') return pay(emulator, record, card, outcome.later);
  if (outcome.kind === 'challenge') return openChallenge(emulator, record, card);
  return declinePayment(emulator, record, card, outcome.decline);
}

async function openChallenge(
  { records }: Emulator,
  record: SessionRecord,
  card: CardDetails,
): Promise<PaymentResult> {
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
  if (answer === 'complete') return pay(emulator, record, card);
  return declinePayment(emulator, record, card, AUTHENTICATION_FAILED);
}

async function pay(
  emulator: Emulator,
  record: SessionRecord,
  card: CardDetails,
  later?: Extract<CardOutcome, { kind: 'pays' }>['later'],
): Promise<PaymentResult> {
  const attempt = chargeCard(intentOf(emulator.records, record), card, null);
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
  await emulator.webhooks.emit('payment_intent.succeeded', intent);
  await emulator.webhooks.emit('checkout.session.completed', session);
  if (later === 'warning') await openFraudWarning(emulator, charge);
  else if (later !== undefined)
    await openDispute(emulator, charge, later === 'inquiry' ? 'warning_needs_response' : 'needs_response');
  return complete(session);
}

async function declinePayment(
  emulator: Emulator,
  record: SessionRecord,
  card: CardDetails,
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
