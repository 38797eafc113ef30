import { inTransaction, prisma } from '../../base/db';
import { settings } from '../../base/env';
import { ApiError, invariant } from '../../base/errors';
import { OUTSIDE_ANY_APP, openWallet } from '../../ledger';
import { findPartner } from '../../partners/partner';
import { type AppOfUser, findAppOfUser } from '../../people/apps-of-user';
import { isConfirmed, type Present } from '../../people/presence';
import type { Currency } from './amounts';
import { buyWithCard } from './buy-with-card';
import type { CardPayment } from './pay-with-card';
import { countPaymentAttempt } from './payment-limit';
import { hostedPage } from './payment-pages';
import { type PaymentReport, readPaymentStatus } from './payment-status';
import { startPayment } from './start';

/** Purchases from the user's own pages, outside any app or for an app that the user has signed in to. */

const RETURN_PATH = '/account/buy/return';

type OwnOrder = {
  amount: unknown;
  currency: Currency;
  promotionCode?: string | undefined;
  /** The app whose pocket gets the credits; none by default. */
  partnerId?: string | undefined;
};

/** Starts a payment on the processor's hosted page, which returns to ours. */
export async function startOwnPayment(
  user: Present,
  { amount, currency, promotionCode, partnerId = OUTSIDE_ANY_APP }: OwnOrder,
): Promise<{ checkoutUrl: string }> {
  const { userId } = user;
  if (partnerId !== OUTSIDE_ANY_APP) await requireUsableApp(userId, partnerId);
  await countPaymentAttempt(userId);
  await inTransaction((tx) => openWallet(tx, userId));
  const { form } = await startPayment({
    userId,
    partnerId,
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

/** The app to buy credits for, if the user has signed in to it and it is enabled. */
export async function findUsableApp(userId: string, partnerId: string): Promise<AppOfUser | null> {
  const app = await findAppOfUser(userId, partnerId);
  return app === null || app.isSuspended ? null : app;
}

async function requireUsableApp(userId: string, partnerId: string): Promise<void> {
  if ((await findUsableApp(userId, partnerId)) === null)
    throw new ApiError('not_found', 'This app cannot be used now. You can buy credits outside any app.');
}

type CardOrder = Omit<OwnOrder, 'promotionCode'> & { cardId: string; buttonId: string };

/** One click pays with a saved card. With the same button, the same order is paid once; another amount is another. */
export async function buyOwnWithCard(
  user: Present,
  { buttonId, partnerId = OUTSIDE_ANY_APP, ...order }: CardOrder,
): Promise<CardPayment | 'unconfirmed'> {
  if (partnerId !== OUTSIDE_ANY_APP) await requireUsableApp(user.userId, partnerId);
  return buyWithCard(user, {
    ...order,
    partnerId,
    idempotencyKey: `buy:${[buttonId, partnerId, order.currency, order.amount].join(':')}`,
    language: 'en',
    returnUrl: settings().BASE_URL + RETURN_PATH,
  });
}

/** `appName` is null for a purchase outside any app. */
export type OwnPayment = PaymentReport & { partnerId: string; appName: string | null };

/** The payment's status, checked with the processor while it is open. Null when the user has no such payment. */
export async function findOwnPayment(userId: string, checkoutSessionId: string): Promise<OwnPayment | null> {
  const known = await prisma().checkoutSession.findFirst({
    where: { id: checkoutSessionId, userId, visitId: null, keyId: null },
    select: { partnerId: true },
  });
  if (known === null) return null;
  const { partnerId } = known;
  const partner = partnerId === OUTSIDE_ANY_APP ? null : await findPartner(partnerId);
  const report = await readPaymentStatus(checkoutSessionId, { userId, partnerId });
  return { ...report, partnerId, appName: partner?.name ?? null };
}
