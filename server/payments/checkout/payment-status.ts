import { type Microcredits, microcredits, ZERO } from '../../base/credits';
import { prisma } from '../../base/db';
import { ApiError } from '../../base/errors';
import { describeError, log } from '../../base/log';
import { readSpendable } from '../../ledger';
import { fulfil } from './fulfil';
import { findLimitedBy, type LimitedBy } from './limited-by';
import { isFinished, type Payment, type PaymentStatus } from './payment';

export type PaymentReport = {
  sessionId: string;
  status: PaymentStatus;
  /** How much this payment increased the app's balance, with its bonus. */
  creditsAdded: Microcredits;
  balance: Microcredits;
  /** Whether the app can spend them, and what refuses it. Both may be false: a refund may have left a debt. */
  canSpend: boolean;
  limitedBy: LimitedBy | null;
  failure: string | null;
  /** The receipt's id, once it exists. */
  purchaseId: string | null;
};

/** A payment's status, checked with the processor while it is not final. */
export async function readPaymentStatus(
  checkoutSessionId: string,
  owner: { userId: string; partnerId: string },
): Promise<PaymentReport> {
  const stored = await prisma().checkoutSession.findFirst({ where: { id: checkoutSessionId, ...owner } });
  if (stored === null) throw new ApiError('not_found', 'This checkout session does not exist.');
  const payment = await refreshPayment(stored);
  const [spendable, booked] = await Promise.all([
    readSpendable(owner.userId, owner.partnerId),
    findBooking(payment),
  ]);
  return {
    sessionId: payment.id,
    status: payment.status as PaymentStatus,
    creditsAdded: booked === null ? ZERO : microcredits(booked.creditsAdded),
    balance: spendable.balance,
    canSpend: spendable.status === 'ok',
    limitedBy: await findLimitedBy(owner, spendable),
    failure: payment.failure,
    purchaseId: booked?.id ?? null,
  };
}

/** If the processor cannot be reached, the stored status is returned instead of an error. */
export async function refreshPayment(stored: Payment): Promise<Payment> {
  if (isFinished(stored)) return stored;
  try {
    return (await fulfil(stored.id)) ?? stored;
  } catch (error) {
    log().warn(
      { checkout_session_id: stored.id, error: describeError(error) },
      'could not refresh a payment',
    );
    return stored;
  }
}

async function findBooking({
  id,
  userId,
  status,
}: Payment): Promise<{ id: string; creditsAdded: bigint } | null> {
  if (status !== 'completed') return null;
  const booked = await prisma().ledgerTransaction.findMany({
    where: { userId, kind: { in: ['purchase', 'promotion'] }, causeId: id },
    select: { id: true, kind: true, creditsAdded: true },
  });
  const purchase = booked.find(({ kind }) => kind === 'purchase');
  const creditsAdded = booked.reduce((sum, booking) => sum + (booking.creditsAdded ?? 0n), 0n);
  return purchase === undefined ? null : { id: purchase.id, creditsAdded };
}
