import { now } from '../clock';
import { prisma } from '../db';
import { assertNever } from '../errors';
import { log } from '../log';
import { openAlert } from './alerts';
import { credit } from './credit';
import { finish, isFinished, type Payment } from './payment';
import type { ProcessorPayment } from './payment-processor';
import { applyReversals } from './reversals';
import { stripeProcessor } from './stripe/processor';

/**
 * Updates a payment from the processor's current state. Webhooks, polls and the sweep may call this
 * concurrently. Null when the payment does not exist.
 */
export async function fulfil(checkoutSessionId: string): Promise<Payment | null> {
  const payment = await findPayment(checkoutSessionId);
  if (payment === null || isFinished(payment)) return payment;
  const reported =
    payment.processorSessionId && (await stripeProcessor.readSession(payment.processorSessionId));
  if (reported) await applyProcessorState(payment, reported);
  else await expireUnknown(payment);
  return findPayment(checkoutSessionId);
}

function findPayment(id: string): Promise<Payment | null> {
  return prisma().checkoutSession.findUnique({ where: { id } });
}

async function applyProcessorState(payment: Payment, reported: ProcessorPayment): Promise<void> {
  switch (reported.state) {
    case 'open':
      await recordFailedAttempt(payment, reported);
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
  { failure }: ProcessorPayment,
): Promise<void> {
  if (failure === null || failure === known) return;
  await prisma().checkoutSession.updateMany({ where: { id, status: 'open' }, data: { failure } });
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
    { checkoutSessionId, ordered: { currency, amountMinor }, reported },
    'a paid session does not match its order',
  );
  await finish(prisma(), payment, 'failed', { failure: 'wrong_payment' });
}

async function leaveOpen({ id }: Payment): Promise<void> {
  await prisma().checkoutSession.updateMany({
    where: { id, status: 'open' },
    data: { status: 'processing' },
  });
}

/** The processor has no such session, so it cannot be paid. Our session ends when it expires. */
async function expireUnknown(payment: Payment): Promise<void> {
  if (payment.expiresAt.getTime() <= now()) await finish(prisma(), payment, 'expired');
}
