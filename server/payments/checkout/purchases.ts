import type { Purchase } from '../../../prisma/client/client';
import { chooseLanguage, type Language } from '../../../texts/languages';
import { type Microcredits, microcredits } from '../../base/credits';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { findPartner } from '../../partners/partner';
import { nameInMails } from '../../partners/rename';
import { partnerNames } from './partner-names';
import { type Bonus, findBonuses } from './promotions';
import { stripeProcessor } from './stripe/processor';

/** A user's purchases, for the account pages. */
export type PurchaseSummary = {
  id: string;
  createdAt: Date;
  /** Where it was bought: an app, or "Auto top-up". */
  appName: string;
  isAutoTopUp: boolean;
  currency: string;
  amountMinor: number;
  credits: Microcredits;
  /** Of a promotion code; null without one. */
  bonus: Bonus | null;
  refundedMinor: number;
  disputedMinor: number;
  status: PurchaseStatus;
};

export type PurchaseStatus = 'paid' | 'partly_refunded' | 'refunded' | 'disputed';

export type PurchaseReceipt = PurchaseSummary & {
  email: string;
  /** The app's name in the mail; null if no operator has approved it. */
  mailName: string | null;
  /** USD per unit of the currency at the time, as exact decimal text. */
  rate: string;
  /** The user's, or the one that it was bought in. */
  language: Language;
  /** The tax included in the amount. */
  taxMinor: number;
  invoicedByProcessor: boolean;
};

/** Newest first. */
export async function listPurchases(
  userId: string,
  { limit = 50, offset = 0 }: { limit?: number; offset?: number } = {},
): Promise<{ purchases: PurchaseSummary[]; total: number }> {
  const [rows, total] = await Promise.all([
    prisma().purchase.findMany({
      where: { userId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
      skip: offset,
    }),
    prisma().purchase.count({ where: { userId } }),
  ]);
  const [names, bonuses, topUps] = await Promise.all([
    partnerNames(rows),
    findBonuses(rows.map(({ sessionId }) => sessionId)),
    findAutoTopUps(rows),
  ]);
  return { purchases: rows.map((row) => summarise(row, { names, bonuses, topUps })), total };
}

/** The checkout sessions among these that were paid automatically. */
async function findAutoTopUps(rows: Purchase[]): Promise<Set<string>> {
  const found = await prisma().checkoutSession.findMany({
    where: { id: { in: rows.map(({ sessionId }) => sessionId) }, method: 'auto_top_up' },
    select: { id: true },
  });
  return new Set(found.map(({ id }) => id));
}

/** Returns a purchase of this user. Null for another user and once the account is deleted. */
export async function readPurchaseReceipt(userId: string, id: string): Promise<PurchaseReceipt | null> {
  const row = await prisma().purchase.findFirst({ where: { id, userId } });
  if (row === null) return null;
  const [names, bonuses, topUps, partner, user, session] = await Promise.all([
    partnerNames([row]),
    findBonuses([row.sessionId]),
    findAutoTopUps([row]),
    findPartner(row.partnerId),
    prisma().user.findUnique({
      where: { id: userId, deletedAt: null },
      select: { email: true, language: true, lastLanguage: true },
    }),
    prisma().checkoutSession.findUnique({ where: { id: row.sessionId }, select: { language: true } }),
  ]);
  if (user === null) return null;
  return {
    ...summarise(row, { names, bonuses, topUps }),
    email: user.email,
    mailName: partner === null ? settings().BRAND_NAME : nameInMails(partner),
    rate: row.rate.toString(),
    taxMinor: row.taxMinor,
    invoicedByProcessor: row.invoicedByProcessor,
    language: chooseLanguage(user.language, user.lastLanguage, session?.language),
  };
}

/** Where the processor shows its invoice of a purchase of this user; null if it issued none. */
export async function findProcessorInvoice(userId: string, id: string): Promise<string | null> {
  const purchase = await prisma().purchase.findFirst({ where: { id, userId, invoicedByProcessor: true } });
  if (purchase === null) return null;
  const session = await prisma().checkoutSession.findUnique({ where: { id: purchase.sessionId } });
  return session?.processorSessionId ? stripeProcessor.readInvoiceUrl(session.processorSessionId) : null;
}

type PurchaseDetails = { names: Map<string, string>; bonuses: Map<string, Bonus>; topUps: Set<string> };

function summarise(row: Purchase, { names, bonuses, topUps }: PurchaseDetails): PurchaseSummary {
  const { id, createdAt, partnerId, currency, amountMinor, refundedMinor, disputedMinor } = row;
  const isAutoTopUp = topUps.has(row.sessionId);
  return {
    id,
    createdAt,
    appName: isAutoTopUp ? 'Auto top-up' : (names.get(partnerId) ?? ''),
    isAutoTopUp,
    currency,
    amountMinor,
    credits: microcredits(row.credits),
    bonus: bonuses.get(row.sessionId) ?? null,
    refundedMinor,
    disputedMinor,
    status: statusOf(row),
  };
}

function statusOf({ amountMinor, refundedMinor, disputedMinor }: Purchase): PurchaseStatus {
  if (disputedMinor > 0) return 'disputed';
  if (refundedMinor === 0) return 'paid';
  return refundedMinor < amountMinor ? 'partly_refunded' : 'refunded';
}
