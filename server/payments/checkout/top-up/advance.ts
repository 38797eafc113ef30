import type { AutoTopUp } from '../../../../prisma/client/client';
import { HOUR_MS, now, nowDate } from '../../../base/clock';
import { inTransaction, prisma } from '../../../base/db';
import { makeMailDue } from '../../../base/due-mails';
import { describeError, log } from '../../../base/log';
import { OUTSIDE_ANY_APP } from '../../../ledger';
import { type Currency, toMajorUnits } from '../amounts';
import type { PaymentFailure } from '../failure';
import { fulfil } from '../fulfil';
import { payWithSavedCard } from '../pay-with-card';
import { isFinished, type Payment } from '../payment';
import { stripeProcessor } from '../stripe/processor';
import { findAutoTopUp, type OffReason, type TopUpState } from './auto-top-up';
import { claimTopUp, findDue, findUnconcluded, keyOf, takeLease } from './claim';

/**
 * One top-up at a time per user. Its claim decides the checkout session, and the session keeps the id of the payment
 * before money moves. So after a crash at any point, another instance repeats the same charge, which happens once.
 */

const CONCURRENCY = 8;

/** Begins those that are due, among these users or all. */
export async function beginTopUps(users: string[] | null): Promise<void> {
  await forEach(await findDue(users), async (userId) => {
    if (await claimTopUp(userId)) await advance(userId, charge);
  });
}

/** Continues or concludes those in progress. */
export async function advanceTopUps(): Promise<void> {
  await forEach(await findUnconcluded(), (userId) => advance(userId, resume));
}

async function forEach(users: string[], work: (userId: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < users.length; at += CONCURRENCY) {
    await Promise.all(users.slice(at, at + CONCURRENCY).map(work));
  }
}

type InProgress = AutoTopUp & { sessionId: string; startedAt: Date };

/** After a failure, the lease ends and the top-up is resumed. */
async function advance(userId: string, work: (topUp: InProgress) => Promise<void>): Promise<void> {
  const topUp = await findAutoTopUp(userId);
  if (topUp === null || !isInProgress(topUp)) return;
  try {
    if (await concludeIfDecided(topUp)) return;
    await work(topUp);
    await concludeIfDecided(topUp);
  } catch (error) {
    const { sessionId: checkoutSessionId } = topUp;
    log().warn(
      { checkout_session_id: checkoutSessionId, error: describeError(error) },
      'could not advance a top-up',
    );
  }
}

const isInProgress = (topUp: AutoTopUp): topUp is InProgress =>
  topUp.sessionId !== null && topUp.startedAt !== null;

const findPayment = (id: string): Promise<Payment | null> =>
  prisma().checkoutSession.findUnique({ where: { id } });

/** Also continues what another instance has begun. */
async function charge(topUp: InProgress): Promise<void> {
  const { userId, startedAt, amountMinor, currency, cardId } = topUp;
  const { charge: outcome, payment } = await payWithSavedCard({
    userId,
    partnerId: OUTSIDE_ANY_APP,
    idempotencyKey: keyOf(startedAt),
    amount: toMajorUnits(amountMinor),
    currency: currency as Currency,
    cardId,
    language: 'en',
    method: 'auto_top_up',
    buyer: { kind: 'absent' },
  });
  if (outcome.kind === 'needs_action') await askForConfirmation(topUp, payment);
  // The bank decides later, and the processor reports it.
  if (payment.status === 'processing') await setLease(topUp, new Date(now() + HOUR_MS));
}

async function resume(topUp: InProgress): Promise<void> {
  const { userId, sessionId, state } = topUp;
  if (!(await takeLease(userId, sessionId))) return;
  if (state === 'on') return charge(topUp);
  const payment = await findPayment(sessionId);
  if (payment === null) return writeConclusion(topUp, 'not_started');
  if (state === 'off') await cancel(payment);
  // Also ends a payment that the buyer did not confirm in time.
  await fulfil(sessionId);
}

/** A payment is not made unless its id was stored while the session was open. */
async function cancel({ id, processorPaymentId }: Payment): Promise<void> {
  if (processorPaymentId !== null) {
    await stripeProcessor.cancelCardPayment(processorPaymentId);
    return;
  }
  const failure: PaymentFailure = 'not_started';
  await prisma().checkoutSession.updateMany({
    where: { id, status: 'open', processorPaymentId: null },
    data: { status: 'failed', failure },
  });
}

/** The payment stays open until the buyer has confirmed it at the bank, or until it expires. */
async function askForConfirmation(topUp: InProgress, { expiresAt }: Payment): Promise<void> {
  const { userId, sessionId } = topUp;
  const isAsked = await inTransaction(async (tx) => {
    const { count } = await tx.autoTopUp.updateMany({
      where: { userId, sessionId, state: 'on' },
      data: {
        state: 'needs_confirmation' satisfies TopUpState,
        confirmUntil: expiresAt,
        leaseUntil: expiresAt,
        updatedAt: nowDate(),
      },
    });
    if (count > 0) await makeMailDue(tx, 'top_up', { userId, about: 'confirm' });
    return count > 0;
  });
  // It has been turned off. The next pass cancels the payment.
  if (!isAsked) await setLease(topUp, nowDate());
}

async function concludeIfDecided(topUp: InProgress): Promise<boolean> {
  const payment = await findPayment(topUp.sessionId);
  if (payment === null || !isFinished(payment)) return false;
  const failure = (payment.failure ?? 'not_started') as PaymentFailure;
  await writeConclusion(topUp, payment.status === 'completed' ? 'paid' : failure);
  return true;
}

/**
 * Any instance may do this, and only the first changes anything. A failure turns auto top-up off and says so by
 * mail, unless it is off already or the bank was not asked: then the next pass begins another top-up. What was not
 * paid does not count towards the month.
 */
async function writeConclusion(
  { userId, sessionId }: InProgress,
  outcome: 'paid' | OffReason,
): Promise<void> {
  const at = nowDate();
  if (outcome === 'paid' || outcome === 'not_started') {
    await prisma().$executeRaw`
      UPDATE auto_top_up
      SET session_id = NULL, lease_until = NULL, confirm_until = NULL, updated_at = ${at},
          month_minor = month_minor - CASE ${outcome} WHEN 'paid' THEN 0 ELSE amount_minor END,
          state = CASE state WHEN 'needs_confirmation' THEN 'on' ELSE state END
      WHERE user_id = ${userId} AND session_id = ${sessionId}`;
    return;
  }
  await inTransaction(async (tx) => {
    const where = { userId, sessionId };
    const { count } = await tx.autoTopUp.updateMany({
      where: { ...where, state: { not: 'off' satisfies TopUpState } },
      data: { state: 'off' satisfies TopUpState, offReason: outcome },
    });
    if (count > 0) await makeMailDue(tx, 'top_up', { userId, about: 'off' });
    await tx.$executeRaw`
      UPDATE auto_top_up
      SET session_id = NULL, lease_until = NULL, confirm_until = NULL, updated_at = ${at},
          month_minor = month_minor - amount_minor
      WHERE user_id = ${userId} AND session_id = ${sessionId}`;
  });
}

async function setLease({ userId, sessionId }: InProgress, leaseUntil: Date): Promise<void> {
  await prisma().autoTopUp.updateMany({ where: { userId, sessionId }, data: { leaseUntil } });
}
