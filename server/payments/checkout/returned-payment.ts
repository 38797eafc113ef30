import { type Microcredits, microcredits } from '../../base/credits';
import { prisma } from '../../base/db';
import { hasIdForm } from '../../base/ids';
import { partnerNames } from './partner-names';
import type { PaymentStatus } from './payment';
import { mayReadReturned } from './payment-limit';
import { refreshPayment } from './payment-status';
import { findBonus } from './promotions';

/** The status shown to a buyer who returns from the hosted page of the processor. */
export type ReturnedPayment = { status: PaymentStatus; credits: Microcredits; appName: string };

/** Refreshes the payment when the buyer returns. Null for an unknown id. */
export async function readReturnedPayment(checkoutSessionId: string): Promise<ReturnedPayment | null> {
  if (!hasIdForm(checkoutSessionId)) return null;
  const stored = await prisma().checkoutSession.findUnique({ where: { id: checkoutSessionId } });
  if (stored === null) return null;
  const payment = (await mayReadReturned(stored.id)) ? await refreshPayment(stored) : stored;
  const [names, bonus] = await Promise.all([partnerNames([payment]), findBonus(payment.id)]);
  return {
    status: payment.status as PaymentStatus,
    credits: microcredits(payment.credits + (bonus?.credits ?? 0n)),
    appName: names.get(payment.partnerId) ?? '',
  };
}
