import { ApiError } from '../errors';

/** Commission rates: people write percent, the code counts basis points (2500 = 25 %). */

export const MAX_RATE_BP = 10_000;
const BP_PER_PERCENT = 100;

/** Null unless the text is 0 to 100 percent with at most two decimals. */
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

export function requireRate(rateBp: number): number {
  if (!Number.isInteger(rateBp) || rateBp < 0 || rateBp > MAX_RATE_BP) {
    throw new ApiError('invalid_request', 'rate: between 0 and 100 percent', { param: 'rate' });
  }
  return rateBp;
}
