import { inColumn } from '@/app/_ui/amount';

const DECIMALS = 4;
const SMALLEST = 10 ** -DECIMALS;

/** What one request moves: few digits would hide it, and nothing that was charged looks free. */
export function inSmallCredits(credits: number): string {
  return credits > 0 && credits < SMALLEST ? `< ${SMALLEST}` : inColumn(credits, DECIMALS);
}
