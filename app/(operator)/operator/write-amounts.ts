import { creditsToJson, formatCredits } from '@/server/credits';

const CREDITS_PER_DOLLAR = 100;

/** `$1,234.56`: what credits are worth, cut to the cent. */
export function inDollars(microcredits: bigint): string {
  const cents = Math.trunc(creditsToJson(microcredits) + (microcredits < 0n ? -1e-6 : 1e-6));
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(
    cents / CREDITS_PER_DOLLAR,
  );
}

/** Exact credits, with thousands apart. */
export function inCredits(microcredits: bigint): string {
  const [whole = '0', decimals] = formatCredits(microcredits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals ? `${grouped}.${decimals}` : grouped;
}

export function inMoney(minor: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).format(
    minor / 100,
  );
}

export const inNumber = (value: number): string => new Intl.NumberFormat('en').format(value);
