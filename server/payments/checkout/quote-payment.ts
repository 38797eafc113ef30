import { chooseLanguage, type Language } from '../../../texts/languages';
import { MINUTE_MS, now, nowDate } from '../../base/clock';
import { creditsToJson, type Microcredits, microcredits, ZERO } from '../../base/credits';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { mailWords } from '../../base/mail-words';
import { OUTSIDE_ANY_APP } from '../../ledger';
import { type Currency, creditsFor, toMinorUnits } from './amounts';
import { requireUsdRate } from './exchange-rates';
import type { Payment } from './payment';
import type { PaymentOrder } from './payment-processor';

/** What every checkout session begins with, whether its payment is made in a form or with a saved card. */

/** The processor requires at least 30 minutes; the extra minute allows for a slow call. */
const PAYMENT_LIFETIME_MS = 31 * MINUTE_MS;

type Quoted = {
  userId: string;
  partnerId: string;
  visitId?: string | undefined;
  /** As sent by the caller; validated here. */
  amount: unknown;
  currency: Currency;
  language: Language | null;
};

/** Fixes the price and the exchange rate. */
export async function quotePayment({ userId, partnerId, visitId, amount, currency, language }: Quoted) {
  const { MINIMUM_PURCHASE: minimum, MAXIMUM_PURCHASE: maximum } = settings();
  const amountMinor = toMinorUnits(amount, { minimum, maximum });
  const rate = await requireUsdRate(currency);
  return {
    userId,
    partnerId,
    visitId: visitId ?? null,
    currency,
    amountMinor,
    rate,
    credits: creditsFor(amountMinor, rate),
    ...(language !== null && { language }),
    createdAt: nowDate(),
    expiresAt: new Date(now() + PAYMENT_LIFETIME_MS),
  };
}

type OrderedGoods = Pick<
  PaymentOrder,
  'checkoutSessionId' | 'currency' | 'amountMinor' | 'description' | 'quote'
>;

/** `bonus` is what a promotion code adds to the credits bought. */
export async function describeOrder(payment: Payment, bonus: Microcredits = ZERO): Promise<OrderedGoods> {
  const { id, userId, partnerId, currency, amountMinor, rate, credits } = payment;
  const appUser = await prisma().userApp.findUnique({
    where: { userId_partnerId: { userId, partnerId } },
    select: { appUserId: true },
  });
  return {
    checkoutSessionId: id,
    currency: currency as Currency,
    amountMinor,
    description: describeGoods(payment, bonus),
    quote: {
      partnerId: partnerId === OUTSIDE_ANY_APP ? null : partnerId,
      appUserId: appUser?.appUserId ?? null,
      rate: rate.toString(),
      credits,
    },
  };
}

/** The name shown in the form and on the card statement, in the buyer's language. */
function describeGoods({ credits, language }: Payment, bonus: Microcredits): string {
  const say = mailWords(chooseLanguage(language));
  const goods = say.goods({ count: creditsToJson(microcredits(credits)), brand: settings().BRAND_NAME });
  return bonus === ZERO ? goods : `${goods} + ${say.bonusGoods({ count: creditsToJson(bonus) })}`;
}
