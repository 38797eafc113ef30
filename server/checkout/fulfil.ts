import { now, nowDate } from '../clock';
import { creditsToJson, microcredits } from '../credits';
import { inTransaction, prisma, type Tx } from '../db';
import { assertNever } from '../errors';
import { newId } from '../ids';
import { type Booking, bookPurchase, OUTSIDE_ANY_APP } from '../ledger';
import { log } from '../log';
import { recordEvent } from '../webhooks/record';
import { readEventSubject } from './event-subject';
import { isFinished, type Payment, type PaymentStatus, UNFINISHED } from './payment';
import type { ProcessorPayment } from './payment-processor';
import { applyReversals } from './reversals';
import { stripeProcessor } from './stripe-processor';

/**
 * Brings a payment up to date with what the processor itself says, whoever asked: a webhook, a
 * poll, the sweeper, or all at once. Null when there is no such payment.
 */
export async function fulfil(checkoutSessionId: string): Promise<Payment | null> {
  const payment = await findPayment(checkoutSessionId);
  if (payment === null || isFinished(payment)) return payment;
  const told = payment.processorSessionId && (await stripeProcessor.readSession(payment.processorSessionId));
  if (told) await applyProcessorState(payment, told);
  else await expireUnknown(payment);
  return findPayment(checkoutSessionId);
}

function findPayment(id: string): Promise<Payment | null> {
  return prisma().checkoutSession.findUnique({ where: { id } });
}

async function applyProcessorState(payment: Payment, told: ProcessorPayment): Promise<void> {
  switch (told.state) {
    case 'open':
      return;
    case 'processing':
      await leaveOpen(payment);
      return;
    case 'failed':
      await finish(prisma(), payment, 'failed', { failure: told.failure });
      return;
    case 'expired':
      await finish(prisma(), payment, 'expired');
      return;
    case 'paid':
      if (!isTheOrderedPayment(payment, told)) return refuse(payment, told);
      await credit(payment);
      // Refunded before we heard of the payment: the event about it may be gone already.
      if (told.reversedPaymentId !== null) await applyReversals(told.reversedPaymentId);
      return;
    default:
      assertNever(told.state);
  }
}

/** Credits and tells the partner exactly once: only one caller wins the conditional update. */
async function credit(payment: Payment): Promise<void> {
  const { id, userId, partnerId, currency, amountMinor, rate } = payment;
  const credits = microcredits(payment.credits);
  await inTransaction(async (tx) => {
    if (!(await finish(tx, payment, 'completed', { completedAt: nowDate() }))) return;
    await tx.purchase.create({
      data: {
        id: newId('txn'),
        userId,
        partnerId,
        sessionId: id,
        currency,
        amountMinor,
        rate,
        credits,
        createdAt: nowDate(),
      },
    });
    const booking = await bookPurchase(tx, { userId, appId: partnerId, credits, sessionId: id });
    // What is bought outside any app is nobody's business but the user's.
    if (partnerId !== OUTSIDE_ANY_APP) await tellPartner(tx, payment, booking);
  });
}

async function tellPartner(tx: Tx, { id, userId, partnerId }: Payment, booking: Booking): Promise<void> {
  await recordEvent(tx, {
    partnerId,
    type: 'credits.added',
    causeId: id,
    data: {
      type: 'purchase',
      ...(await readEventSubject(tx, { userId, partnerId })),
      balance: creditsToJson(booking.balance),
      credits_added: creditsToJson(booking.creditsAdded),
      transaction_id: booking.transactionId,
    },
  });
}

function isTheOrderedPayment(payment: Payment, told: ProcessorPayment): boolean {
  return (
    told.checkoutSessionId === payment.id &&
    told.mode === 'payment' &&
    told.currency === payment.currency &&
    told.amountMinor === payment.amountMinor
  );
}

/** Money came in that is not what we asked for: nothing is credited, a person has to look. */
async function refuse(payment: Payment, told: ProcessorPayment): Promise<void> {
  const { id: checkoutSessionId, currency, amountMinor } = payment;
  log().error(
    { checkoutSessionId, ordered: { currency, amountMinor }, told },
    'a paid session is not the ordered one',
  );
  await finish(prisma(), payment, 'failed', {
    failure: 'The payment does not match the order. Please contact support.',
  });
}

async function leaveOpen({ id }: Payment): Promise<void> {
  await prisma().checkoutSession.updateMany({
    where: { id, status: 'open' },
    data: { status: 'processing' },
  });
}

/** The processor has no such session, so nobody can pay it; ours ends when its time is over. */
async function expireUnknown(payment: Payment): Promise<void> {
  if (payment.expiresAt.getTime() <= now()) await finish(prisma(), payment, 'expired');
}

/** Leaves `open` or `processing` for good; false when somebody else already did. */
async function finish(
  database: Pick<Tx, 'checkoutSession'>,
  { id }: Payment,
  status: PaymentStatus,
  facts: { failure?: string | null; completedAt?: Date } = {},
): Promise<boolean> {
  const { count } = await database.checkoutSession.updateMany({
    where: { id, status: { in: UNFINISHED } },
    data: { status, ...facts },
  });
  return count === 1;
}
