import { DAY_MS, MINUTE_MS, now } from '../../base/clock';
import { prisma } from '../../base/db';
import { assertNever } from '../../base/errors';
import { log } from '../../base/log';
import { openAlert } from './alerts';
import { credit } from './credit';
import type { PaymentFailure } from './failure';
import { noteAttempt } from './note-attempt';
import { finish, isFinished, type Payment } from './payment';
import type { ProcessorPayment } from './payment-processor';
import { readReported } from './reported-payment';
import { applyReversals } from './reversals';
import { stripeProcessor } from './stripe/processor';

/**
 * Updates a payment from the processor's current state. Webhooks, polls and the sweep may call this
 * concurrently. Null when the payment does not exist.
 */
export async function fulfil(checkoutSessionId: string): Promise<Payment | null> {
  const payment = await findPayment(checkoutSessionId);
  if (payment === null || isFinished(payment)) return payment;
  const reported = await readReported(payment);
  if (reported === null) await endUnknown(payment);
  else {
    await applyProcessorState(payment, reported);
    await noteAttempt(payment, reported);
  }
  return findPayment(checkoutSessionId);
}

function findPayment(id: string): Promise<Payment | null> {
  return prisma().checkoutSession.findUnique({ where: { id } });
}

async function applyProcessorState(payment: Payment, reported: ProcessorPayment): Promise<void> {
  switch (reported.state) {
    case 'open':
      if (reported.reference.processorPaymentId === null) await recordFailedAttempt(payment, reported);
      else await leaveOrEndCardPayment(payment, reported.reference.processorPaymentId, reported.failure);
      return;
    case 'processing':
      await leaveOpen(payment);
      return;
    case 'failed':
      await finish(prisma(), payment, 'failed', { failure: reported.failure });
      return;
    case 'expired':
      await finish(prisma(), payment, 'expired');
      return;
    case 'paid':
      if (!isTheOrderedPayment(payment, reported)) return refuse(payment, reported);
      await credit(payment, reported);
      // Refunded before the payment was booked: the refund event may already have been handled.
      if (reported.paymentId !== null && reported.isReversed)
        await applyReversals(reported.paymentId, 'refund');
      return;
    default:
      assertNever(reported.state);
  }
}

/** A declined card does not end the payment: the form accepts another one. */
async function recordFailedAttempt(
  { id, failure: known }: Payment,
  { failure }: Pick<ProcessorPayment, 'failure'>,
  later: { expiresAt?: Date } = {},
): Promise<void> {
  if (failure === null || failure === known) return;
  await prisma().checkoutSession.updateMany({ where: { id, status: 'open' }, data: { failure, ...later } });
}

/** How long the buyer can confirm a payment that the bank refused because they were absent. */
const CONFIRMABLE_MS = DAY_MS;

/** The payment ends at the processor first, so that it cannot be made once it has ended here. */
async function leaveOrEndCardPayment(
  payment: Payment,
  paymentId: string,
  failure: PaymentFailure | null,
): Promise<void> {
  const { createdAt, expiresAt, failure: known } = payment;
  const isConfirmable = payment.method === 'auto_top_up' && failure === 'not_confirmed';
  const until = isConfirmable ? new Date(createdAt.getTime() + CONFIRMABLE_MS) : expiresAt;
  if ((failure === null || isConfirmable) && until.getTime() > now())
    return recordFailedAttempt(payment, { failure }, { expiresAt: until });
  if (!(await stripeProcessor.cancelCardPayment(paymentId))) return;
  await finish(prisma(), payment, failure === null || isConfirmable ? 'expired' : 'failed', {
    failure: failure ?? (known as PaymentFailure | null),
  });
}

function isTheOrderedPayment(payment: Payment, reported: ProcessorPayment): boolean {
  return (
    reported.checkoutSessionId === payment.id &&
    reported.mode === 'payment' &&
    reported.currency === payment.currency &&
    reported.amountMinor === payment.amountMinor
  );
}

/** The payment does not match the order: nothing is credited, and the operator has to review it. */
async function refuse(payment: Payment, reported: ProcessorPayment): Promise<void> {
  const { id: checkoutSessionId, currency, amountMinor } = payment;
  await openAlert({
    id: checkoutSessionId,
    kind: 'wrong_payment',
    sessionId: checkoutSessionId,
    amountMinor: reported.amountMinor,
    currency: reported.currency,
    detail: `${reported.amountMinor} ${reported.currency} for an order of ${amountMinor} ${currency}`,
  });
  log().error(
    {
      checkout_session_id: checkoutSessionId,
      amount_minor: amountMinor,
      currency,
      reported_amount_minor: reported.amountMinor,
      reported_currency: reported.currency,
    },
    'a payment does not match its order',
  );
  await finish(prisma(), payment, 'failed', { failure: 'wrong_payment' });
}

async function leaveOpen({ id }: Payment): Promise<void> {
  await prisma().checkoutSession.updateMany({
    where: { id, status: 'open' },
    data: { status: 'processing' },
  });
}

/**
 * The processor has no such payment, so it cannot be paid. Our session ends when it expires. If a saved card
 * was to be charged, the process that would do it has died: the id of the payment is stored before it is made.
 */
async function endUnknown(payment: Payment): Promise<void> {
  if (payment.method === 'form' || payment.processorPaymentId !== null) {
    if (payment.expiresAt.getTime() <= now()) await finish(prisma(), payment, 'expired');
    return;
  }
  if (payment.createdAt.getTime() + CARD_START_MS > now()) return;
  const failure: PaymentFailure = 'not_started';
  await prisma().checkoutSession.updateMany({
    where: { id: payment.id, status: 'open', processorPaymentId: null },
    data: { status: 'failed', failure },
  });
}

/** Several times as long as creating a payment can take, with all repetitions. */
const CARD_START_MS = 5 * MINUTE_MS;
