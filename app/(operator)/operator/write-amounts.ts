import { inColumn } from '@/app/_ui/amount';
import { creditsToJson } from '@/server/base/credits';

const CREDITS_PER_DOLLAR = 100;

/** `$1,234.56`: what credits are worth, rounded down to the cent. */
export function inDollars(microcredits: bigint): string {
  const cents = Math.trunc(creditsToJson(microcredits) + (microcredits < 0n ? -1e-6 : 1e-6));
  // Less than a cent below zero shows as $0.00, not as -$0.00.
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', signDisplay: 'negative' }).format(
    cents / CREDITS_PER_DOLLAR,
  );
}

/** Credits with the same number of decimals in every row, never rounded up. */
export const inCredits = (microcredits: bigint): string => inColumn(creditsToJson(microcredits));

export function inMoney(minor: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).format(
    minor / 100,
  );
}

export const inNumber = (value: number): string => new Intl.NumberFormat('en').format(value);

/** A list price: at least cents, and every digit it has. */
export const inUsd = (price: string): string =>
  Number(price).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 8 });

/** Of basis points. */
export const inPercent = (bp: number): string =>
  new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }).format(bp / 10_000);
