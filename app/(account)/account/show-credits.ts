import { formatCredits, writeWorth } from '@/app/_ui/amount';
import { creditsToJson } from '@/server/base/credits';

const FEW_DECIMALS = 2;

export const unitOf = (credits: number): string => (credits === 1 ? 'credit' : 'credits');

/** `1,234.5` and `credits`, for places that show them separately. Never rounded up. */
export function amountOf(amount: bigint): { value: string; unit: string } {
  const credits = creditsToJson(amount);
  return {
    value: formatCredits(credits, 'en', FEW_DECIMALS),
    unit: unitOf(credits),
  };
}

/** `1,234.5 credits`, for a sentence. */
export function inCredits(amount: bigint): string {
  const { value, unit } = amountOf(amount);
  return `${value} ${unit}`;
}

const CENT = 1_000_000n;

/** What credits are worth: `$12.34`, never rounded up, and never nothing. */
export const inDollars = (amount: bigint): string =>
  amount > 0n && amount < CENT ? 'less than $0.01' : writeWorth(creditsToJson(amount));

export const inNumber = (value: number): string => new Intl.NumberFormat('en').format(value);

/** Large counts in few characters: `1.2M`. */
export const inShort = (value: number): string =>
  new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
