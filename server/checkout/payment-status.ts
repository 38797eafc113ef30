import { type Microcredits, microcredits, ZERO } from '../credits';
import { prisma } from '../db';
import { ApiError } from '../errors';
import { readSpendable } from '../ledger';
import { describeError, log } from '../log';
import { fulfil } from './fulfil';
import { isFinished, type Payment, type PaymentStatus } from './payment';

export type PaymentReport = {
  sessionId: string;
  status: PaymentStatus;
  /** How much the app's balance grew by this payment. */
  creditsAdded: Microcredits;
  balance: Microcredits;
  failure: string | null;
};

/** How a payment stands, asked of the processor again while it is not final. */
export async function readPaymentStatus(
  checkoutSessionId: string,
  owner: { userId: string; partnerId: string },
): Promise<PaymentReport> {
  const stored = await prisma().checkoutSession.findFirst({ where: { id: checkoutSessionId, ...owner } });
  if (stored === null) throw new ApiError('not_found', 'There is no such checkout session');
  const payment = isFinished(stored) ? stored : await refresh(stored);
  const [{ balance }, creditsAdded] = await Promise.all([
    readSpendable(owner.userId, owner.partnerId),
    readCreditsAdded(payment),
  ]);
  return {
    sessionId: payment.id,
    status: payment.status as PaymentStatus,
    creditsAdded,
    balance,
    failure: payment.failure,
  };
}

/** A processor that does not answer makes the status old, not the request fail. */
async function refresh(stored: Payment): Promise<Payment> {
  try {
    return (await fulfil(stored.id)) ?? stored;
  } catch (error) {
    log().warn(
      { checkoutSessionId: stored.id, error: describeError(error) },
      'a payment could not be read again',
    );
    return stored;
  }
}

async function readCreditsAdded({ id, userId, status }: Payment): Promise<Microcredits> {
  if (status !== 'completed') return ZERO;
  const booked = await prisma().ledgerTransaction.findFirst({
    where: { userId, kind: 'purchase', causeId: id },
    select: { creditsAdded: true },
  });
  return booked === null ? ZERO : microcredits(booked.creditsAdded);
}
