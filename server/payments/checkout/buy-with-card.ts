import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import type { Present } from '../../people/presence';
import { toMinorUnits } from './amounts';
import { mayChargeCard } from './card-presence';
import { type CardPayment, type CardPaymentRequest, cardPaymentId, payWithSavedCard } from './pay-with-card';

type CardPurchase = Omit<CardPaymentRequest, 'userId' | 'method' | 'buyer'> & {
  /** Where the bank's page returns, with the `session_id`. */
  returnUrl: string;
};

/**
 * Buys credits with one click of a user who is present. 'unconfirmed' means that the click is not enough. A
 * repetition of the click needs nothing more, because it is paid once.
 */
export async function buyWithCard(
  user: Present,
  { returnUrl, ...purchase }: CardPurchase,
): Promise<CardPayment | 'unconfirmed'> {
  const { userId } = user;
  const { partnerId, currency, amount, idempotencyKey } = purchase;
  const { MINIMUM_PURCHASE: minimum, MAXIMUM_PURCHASE: maximum } = settings();
  const amountMinor = toMinorUnits(amount, { minimum, maximum });
  const isAllowed =
    (await isKnown(cardPaymentId({ userId, idempotencyKey }))) ||
    (await mayChargeCard(user, { partnerId, currency, amountMinor }));
  if (!isAllowed) return 'unconfirmed';
  const buyer = { kind: 'present', returnUrl } as const;
  return payWithSavedCard({ ...purchase, userId, method: 'saved_card', buyer });
}

async function isKnown(id: string): Promise<boolean> {
  return (await prisma().checkoutSession.count({ where: { id } })) > 0;
}
