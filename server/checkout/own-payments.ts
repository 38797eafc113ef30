import { inTransaction, prisma } from '../db';
import { settings } from '../env';
import { invariant } from '../errors';
import { isConfirmed, type Present } from '../identity/presence';
import { OUTSIDE_ANY_APP, openWallet } from '../ledger';
import type { Currency } from './amounts';
import { buyWithCard } from './buy-with-card';
import type { CardPayment } from './pay-with-card';
import { countPaymentAttempt } from './payment-limit';
import { hostedPage } from './payment-pages';
import { type PaymentReport, readPaymentStatus } from './payment-status';
import { startPayment } from './start';

/** Purchases from the user's own pages. The credits go to the pocket outside any app. */

const RETURN_PATH = '/account/buy/return';

/** Starts a payment on the processor's hosted page, which returns to ours. */
export async function startOwnPayment(
  user: Present,
  {
    amount,
    currency,
    promotionCode,
  }: { amount: unknown; currency: Currency; promotionCode?: string | undefined },
): Promise<{ checkoutUrl: string }> {
  const { userId } = user;
  await countPaymentAttempt(userId);
  await inTransaction((tx) => openWallet(tx, userId));
  const { form } = await startPayment({
    userId,
    partnerId: OUTSIDE_ANY_APP,
    amount,
    currency,
    checkoutMode: 'new_tab',
    language: 'en',
    customer: { canSaveCard: true, offersSavedCards: await isConfirmed(user) },
    isFromDeviceApp: false,
    promotionCode,
    page: (checkoutSessionId) => hostedPage(settings().BASE_URL + RETURN_PATH, checkoutSessionId),
  });
  invariant(form.kind === 'hosted', 'the requested hosted page was created');
  return { checkoutUrl: form.url };
}

type CardOrder = { amount: number; currency: Currency; cardId: string; buttonId: string };

/** One click pays with a saved card. */
export function buyOwnWithCard(
  user: Present,
  { buttonId, ...order }: CardOrder,
): Promise<CardPayment | 'unconfirmed'> {
  return buyWithCard(user, {
    ...order,
    partnerId: OUTSIDE_ANY_APP,
    idempotencyKey: `buy_again:${buttonId}`,
    language: 'en',
    returnUrl: settings().BASE_URL + RETURN_PATH,
  });
}

/** The payment's status, checked with the processor while it is open. Null when the user has no such payment. */
export async function findOwnPayment(
  userId: string,
  checkoutSessionId: string,
): Promise<PaymentReport | null> {
  const owner = { userId, partnerId: OUTSIDE_ANY_APP };
  const known = await prisma().checkoutSession.count({ where: { id: checkoutSessionId, ...owner } });
  return known === 0 ? null : readPaymentStatus(checkoutSessionId, owner);
}
