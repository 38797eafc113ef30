import { nowDate } from '@/server/base/clock';
import type { Microcredits } from '@/server/base/credits';
import type { Tx } from '@/server/base/db';
import { type Booking, bookPurchase } from '@/server/ledger';

/** Books whole credits as a payment in USD does: with its completed checkout session and its purchase. */
export async function bookPaidSession(
  tx: Tx,
  order: { userId: string; partnerId: string; credits: Microcredits; sessionId: string },
): Promise<Booking> {
  const { userId, partnerId, credits, sessionId } = order;
  const payment = {
    userId,
    partnerId,
    currency: 'usd',
    amountMinor: Number(credits) / 1_000_000,
    rate: 1,
    credits,
    createdAt: nowDate(),
  };
  const session = {
    ...payment,
    id: sessionId,
    status: 'completed',
    expiresAt: nowDate(),
    completedAt: nowDate(),
  };
  await tx.checkoutSession.createMany({ data: [session], skipDuplicates: true });
  const booking = await bookPurchase(tx, order);
  await tx.purchase.createMany({
    data: [{ ...payment, id: booking.transactionId, sessionId }],
    skipDuplicates: true,
  });
  return booking;
}
