import type { Microcredits } from '../../base/credits';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { type Currency, creditsFor, toMajorUnits } from './amounts';
import { findUsdRate } from './exchange-rates';
import { hasCustomer } from './saved-cards';

/** The purchase that a user may want to make again, with one click. */
export type RepeatablePurchase = {
  amountMinor: number;
  currency: Currency;
  /** At today's rate. */
  credits: Microcredits;
  /** Changes with each attempt to pay, so two tabs that show the same state share it. */
  buttonId: string;
};

/** The last purchase that was not taken back. Null without one, or if the user cannot have a saved card. */
export async function findRepeatablePurchase(userId: string): Promise<RepeatablePurchase | null> {
  const [mayHaveCards, purchase, latest] = await Promise.all([
    hasCustomer(userId),
    findLastPurchase(userId),
    findLatestPayment(userId),
  ]);
  if (!mayHaveCards || purchase === null || latest === null) return null;
  const { amountMinor } = purchase;
  const currency = purchase.currency as Currency;
  const rate = await findUsdRate(currency);
  if (rate === null || !isSoldToday(amountMinor)) return null;
  return { amountMinor, currency, credits: creditsFor(amountMinor, rate), buttonId: latest.id };
}

function findLastPurchase(userId: string) {
  return prisma().purchase.findFirst({
    where: { userId, refundedMinor: 0, disputedMinor: 0 },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { amountMinor: true, currency: true },
  });
}

function findLatestPayment(userId: string) {
  return prisma().checkoutSession.findFirst({
    where: { userId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { id: true },
  });
}

function isSoldToday(amountMinor: number): boolean {
  const { MINIMUM_PURCHASE, MAXIMUM_PURCHASE } = settings();
  const amount = toMajorUnits(amountMinor);
  return amount >= MINIMUM_PURCHASE && amount <= MAXIMUM_PURCHASE;
}
