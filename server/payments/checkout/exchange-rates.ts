import { DAY_MS, now, nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import type { Currency } from './amounts';

const MAX_RATE_AGE_MS = 7 * DAY_MS;

/**
 * Returns USD per unit of the currency as exact decimal text, or null when the latest rate is too old to sell
 * at.
 */
export async function findUsdRate(currency: Currency): Promise<string | null> {
  if (currency === 'usd') return '1';
  const newest = await prisma().fxRate.findFirst({
    where: { base: currency, quote: 'usd' },
    orderBy: [{ asOf: 'desc' }, { id: 'desc' }],
  });
  if (newest === null) return settings().EUR_USD_RATE;
  return now() - newest.asOf.getTime() > MAX_RATE_AGE_MS ? null : newest.rate.toString();
}

/** Saves a new rate. Older rates are kept, because payments and receipts refer to them. */
export async function saveUsdRate({
  currency,
  rate,
  source,
}: {
  currency: 'eur';
  rate: string;
  source: string;
}): Promise<void> {
  await prisma().fxRate.create({ data: { base: currency, quote: 'usd', rate, source, asOf: nowDate() } });
}

export async function requireUsdRate(currency: Currency): Promise<string> {
  const rate = await findUsdRate(currency);
  if (rate === null) {
    throw new ApiError(
      'invalid_request',
      `currency: payments in ${currency} are paused because the exchange rate is out of date. Use usd instead.`,
      { param: 'currency' },
    );
  }
  return rate;
}
