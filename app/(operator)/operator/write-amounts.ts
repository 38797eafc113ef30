import { inColumn } from '@/app/_ui/amount';
import { creditsToJson } from '@/server/base/credits';

const MICROCREDITS_PER_CENT = 1_000_000n;

/** `$1,234.56`: what credits are worth, rounded down to the cent. */
export const inDollars = (microcredits: bigint): string => writeDollars(microcredits, 'negative');

/** `+$12.34`: by how much an amount changed. */
export const inDollarChange = (microcredits: bigint): string => writeDollars(microcredits, 'exceptZero');

/** Less than a cent below zero shows as $0.00, not as -$0.00. */
function writeDollars(microcredits: bigint, signDisplay: 'negative' | 'exceptZero'): string {
  const dollars = `${microcredits / MICROCREDITS_PER_CENT}E-2` as `${number}`;
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', signDisplay }).format(dollars);
}

/** Credits with the same number of decimals in every row, never rounded up. */
export const inCredits = (microcredits: bigint): string => inColumn(creditsToJson(microcredits));

export function inMoney(minor: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).format(
    minor / 100,
  );
}

/** Made once: a list of models writes a thousand numbers. */
const COUNT = new Intl.NumberFormat('en');
const LIST_PRICE = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 8 });

export const inNumber = (value: number): string => COUNT.format(value);

/** A list price: at least cents, and every digit it has. */
export const inUsd = (price: string): string => LIST_PRICE.format(Number(price));

/** Of basis points. */
export const inPercent = (bp: number): string =>
  new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 }).format(bp / 10_000);
