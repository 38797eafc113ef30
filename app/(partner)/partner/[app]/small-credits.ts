import { inColumn } from '@/app/_ui/amount';

const DECIMALS = 4;
const SMALLEST = 10 ** -DECIMALS;

/** The amount of one request: with enough digits to show it, and never as free if it was charged. */
export function inSmallCredits(credits: number): string {
  return credits > 0 && credits < SMALLEST ? `< ${SMALLEST}` : inColumn(credits, DECIMALS);
}
