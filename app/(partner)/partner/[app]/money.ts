import { formatCredits, writeWorth } from '@/app/_ui/amount';
import { creditsToJson } from '@/server/base/credits';

/** Formats a partner's amounts. Nothing is rounded up. */

/** `1,234.5` */
export function inCredits(amount: bigint, decimals?: number): string {
  return formatCredits(creditsToJson(amount), 'en', decimals);
}

/** `$12.34` */
export const inDollars = (amount: bigint): string => writeWorth(creditsToJson(amount));

export const inNumber = (count: number): string => new Intl.NumberFormat('en').format(count);
