import { inTransaction } from '../db';
import { settings } from '../env';
import { invariant } from '../errors';
import { OUTSIDE_ANY_APP, openWallet } from '../ledger';
import type { Currency } from './amounts';
import { hostedPage } from './payment-pages';
import { type PaymentReport, readPaymentStatus } from './payment-status';
import { startPayment } from './start';

/** Purchases on the user's own pages: the credits go to the pocket outside any app. */

const RETURN_PATH = '/account/buy/return';

/** Starts a payment on the processor's own page, which comes back to ours. */
export async function startOwnPayment(
  userId: string,
  { amount, currency }: { amount: unknown; currency: Currency },
): Promise<{ checkoutUrl: string }> {
  await inTransaction((tx) => openWallet(tx, userId));
  const { form } = await startPayment({
    userId,
    partnerId: OUTSIDE_ANY_APP,
    amount,
    currency,
    checkoutMode: 'new_tab',
    language: null,
    customer: { canSaveCard: true },
    page: (checkoutSessionId) => hostedPage(settings().BASE_URL + RETURN_PATH, checkoutSessionId),
  });
  invariant(form.kind === 'hosted', 'a hosted page was asked for');
  return { checkoutUrl: form.url };
}

/** How it stands, whoever brought the news: asks the processor while it is open. */
export function readOwnPayment(userId: string, checkoutSessionId: string): Promise<PaymentReport> {
  return readPaymentStatus(checkoutSessionId, { userId, partnerId: OUTSIDE_ANY_APP });
}
