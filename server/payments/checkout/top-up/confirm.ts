import { now } from '../../../base/clock';
import { prisma } from '../../../base/db';
import { settings } from '../../../base/env';
import { hasIdForm } from '../../../base/ids';
import { nameCard } from '../card-name';
import { isFinished } from '../payment';
import { refreshPayment } from '../payment-status';
import { stripeProcessor } from '../stripe/processor';
import { findAutoTopUp } from './auto-top-up';

/** A top-up that the bank wants the buyer to confirm, on our page that leads to the bank and back. */

export type TopUpConfirmation = {
  state: 'waiting' | 'processing' | 'paid' | 'ended';
  credits: bigint;
  amountMinor: number;
  currency: string;
  /** "Visa •••• 4242"; null once another top-up began or it was turned off. */
  card: string | null;
  until: Date;
};

export const confirmationPath = (sessionId: string) => `/account/payment/confirm/${sessionId}`;

/** Null for a payment of another user, or of another kind. */
export async function findTopUpConfirmation(
  userId: string,
  sessionId: string,
): Promise<TopUpConfirmation | null> {
  if (!hasIdForm(sessionId)) return null;
  const stored = await prisma().checkoutSession.findFirst({
    where: { id: sessionId, userId, method: 'auto_top_up' },
  });
  if (stored === null) return null;
  const [payment, topUp] = await Promise.all([refreshPayment(stored), findAutoTopUp(userId)]);
  const isCurrent = topUp?.sessionId === sessionId;
  const isWaiting = isCurrent && topUp.state === 'needs_confirmation' && payment.expiresAt.getTime() > now();
  const { status, credits, amountMinor, currency, expiresAt } = payment;
  return {
    state: status === 'completed' ? 'paid' : describeState(isFinished(payment), status, isWaiting),
    credits,
    amountMinor,
    currency,
    until: expiresAt,
    card: isCurrent ? nameCard({ brand: topUp.cardBrand, last4: topUp.cardLast4 }) : null,
  };
}

function describeState(isOver: boolean, status: string, isWaiting: boolean): TopUpConfirmation['state'] {
  if (!isOver && status === 'processing') return 'processing';
  return !isOver && isWaiting ? 'waiting' : 'ended';
}

/** Returns the bank's page. Null if there is nothing left to confirm: our page says what happened. */
export async function startTopUpConfirmation(userId: string, sessionId: string): Promise<string | null> {
  const known = await findTopUpConfirmation(userId, sessionId);
  if (known?.state !== 'waiting') return null;
  const payment = await prisma().checkoutSession.findUnique({ where: { id: sessionId } });
  if (payment?.processorPaymentId == null) return null;
  const outcome = await stripeProcessor.confirmCardPayment({
    paymentId: payment.processorPaymentId,
    buyer: { kind: 'present', returnUrl: `${settings().BASE_URL}${confirmationPath(sessionId)}?back=bank` },
  });
  if (outcome.kind === 'needs_action') return outcome.url;
  await refreshPayment(payment);
  return null;
}
