import { formatCredits } from '@/app/_ui/amount';

const DECIMALS = 4;

/** What one request moves: few digits would hide it, and nothing that was charged looks free. */
export function inSmallCredits(credits: number): string {
  const shown = formatCredits(credits, 'en', DECIMALS);
  return credits > 0 && shown === '0' ? '< 0.0001' : shown;
}
