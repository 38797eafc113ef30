import { DAY_MS, now, nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { OUTSIDE_ANY_APP } from '../../ledger';
import { isConfirmed, lacksPasskey, type Present } from '../../people/presence';

type Order = { partnerId: string; currency: string; amountMinor: number };

/**
 * Whether a saved card may be charged. With a confirmation of the last minutes, always. Without one, a session
 * may repeat a purchase: once a day, in the same place, for no more than was paid there before. A stolen session
 * can then neither buy credits in an app of the thief nor empty the card.
 */
export async function mayChargeCard(user: Present, order: Order): Promise<boolean> {
  if (await isConfirmed(user)) return true;
  if (await lacksPasskey(user)) return false;
  return (await paidAsMuchBefore(user.userId, order)) && (await useDailyCharge(user.userId));
}

/** Credits outside any app are the user's own wherever they were bought before. */
async function paidAsMuchBefore(
  userId: string,
  { partnerId, currency, amountMinor }: Order,
): Promise<boolean> {
  const place = partnerId === OUTSIDE_ANY_APP ? {} : { partnerId };
  const before = await prisma().purchase.findFirst({
    where: {
      userId,
      ...place,
      currency,
      amountMinor: { gte: amountMinor },
      refundedMinor: 0,
      disputedMinor: 0,
    },
    select: { id: true },
  });
  return before !== null;
}

/** Decided in the statement that writes it, so that parallel requests get one charge. */
async function useDailyCharge(userId: string): Promise<boolean> {
  const dayAgo = new Date(now() - DAY_MS);
  const { count } = await prisma().paymentCustomer.updateMany({
    where: { userId, OR: [{ chargedUnconfirmedAt: null }, { chargedUnconfirmedAt: { lte: dayAgo } }] },
    data: { chargedUnconfirmedAt: nowDate() },
  });
  return count === 1;
}
