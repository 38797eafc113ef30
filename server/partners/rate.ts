import { ApiError } from '../base/errors';

/** Commission rates: people enter percentages, the code uses basis points (2500 = 25 %). */

export const MAX_RATE_BP = 10_000;
const BP_PER_PERCENT = 100;

/** Null unless the text is a percentage from 0 to 100 with up to two decimals. */
export function parsePercent(text: string): number | null {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?\s?%?$/.exec(text.trim());
  if (!match) return null;
  const [, whole = '0', decimals = ''] = match;
  const rateBp = Number(whole) * BP_PER_PERCENT + Number(decimals.padEnd(2, '0'));
  return rateBp <= MAX_RATE_BP ? rateBp : null;
}

export function formatPercent(rateBp: number): string {
  return String(rateBp / BP_PER_PERCENT);
}

/** How much more users pay for the same request after a raise, in percent: "12.5". Null if it is none. */
export function describeRaise(fromBp: number, toBp: number): string | null {
  if (toBp <= fromBp) return null;
  const percent = ((toBp - fromBp) / (BP_PER_PERCENT * BP_PER_PERCENT + fromBp)) * 100;
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(percent);
}

export function requireRate(rateBp: number): number {
  if (!Number.isInteger(rateBp) || rateBp < 0 || rateBp > MAX_RATE_BP) {
    throw new ApiError('invalid_request', 'rate: must be between 0 and 100 percent', { param: 'rate' });
  }
  return rateBp;
}
