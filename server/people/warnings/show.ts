import { creditsToJson } from '../../base/credits';
import { writeTime } from '../../base/write-date';

/** How amounts, shares and times appear in warnings. */

const SMALLEST_SHOWN = 10_000n;
const amounts = new Intl.NumberFormat('en', { maximumFractionDigits: 2, roundingMode: 'trunc' });

/** `1,234.5`, never rounded up. */
export const showAmount = (amount: bigint): string =>
  amount > 0n && amount < SMALLEST_SHOWN ? 'less than 0.01' : amounts.format(creditsToJson(amount));

/** `1,234.5 credits` */
export const showCredits = (amount: bigint): string => {
  const text = showAmount(amount);
  return `${text} ${text === '1' ? 'credit' : 'credits'}`;
};

/** `33%`, or `0.4%` for less than one. */
export const showShare = (share: number): string =>
  `${new Intl.NumberFormat('en', { maximumSignificantDigits: share < 0.01 ? 1 : 2 }).format(share * 100)}%`;

/** `Nov 24, 2026, 12:00 AM (Europe/Berlin)` */
export const showTime = (at: Date, timeZone = 'UTC'): string =>
  `${writeTime(at, { timeZone })} (${timeZone.replaceAll('_', ' ')})`;
