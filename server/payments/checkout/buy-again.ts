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
  const [mayHaveCards, purchase, buttonId] = await Promise.all([
    hasCustomer(userId),
    findLastPurchase(userId),
    readButtonId(userId),
  ]);
  if (!mayHaveCards || purchase === null) return null;
  const { amountMinor } = purchase;
  const currency = purchase.currency as Currency;
  const rate = await findUsdRate(currency);
  if (rate === null || !isSoldToday(amountMinor)) return null;
  return { amountMinor, currency, credits: creditsFor(amountMinor, rate), buttonId };
}

function findLastPurchase(userId: string) {
  return prisma().purchase.findFirst({
    where: { userId, refundedMinor: 0, disputedMinor: 0 },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { amountMinor: true, currency: true },
  });
}

/** Of a button that pays with a saved card. */
export async function readButtonId(userId: string): Promise<string> {
  const latest = await prisma().checkoutSession.findFirst({
    where: { userId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { id: true },
  });
  return latest?.id ?? 'first';
}

function isSoldToday(amountMinor: number): boolean {
  const { MINIMUM_PURCHASE, MAXIMUM_PURCHASE } = settings();
  const amount = toMajorUnits(amountMinor);
  return amount >= MINIMUM_PURCHASE && amount <= MAXIMUM_PURCHASE;
}
