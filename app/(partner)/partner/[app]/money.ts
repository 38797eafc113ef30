import { formatCredits } from '@/app/_ui/amount';
import { creditsToJson } from '@/server/credits';

/** Formats a partner's amounts. Nothing is rounded up. */

const CREDITS_PER_DOLLAR = 100;

/** `1,234.5` */
export function inCredits(amount: bigint, decimals?: number): string {
  return formatCredits(creditsToJson(amount), 'en', decimals);
}

/** `$12.34` */
export function inDollars(amount: bigint): string {
  const cents = Math.floor(creditsToJson(amount) + 1e-6);
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(
    cents / CREDITS_PER_DOLLAR,
  );
}

export const inNumber = (count: number): string => new Intl.NumberFormat('en').format(count);
