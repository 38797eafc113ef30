import type { Effort } from '../protocols/neutral';

/** A thinking budget in tokens as the effort that comes closest. */
export function effortOfBudget(tokens: number): Effort {
  if (tokens < 2_048) return 'low';
  if (tokens < 8_192) return 'medium';
  return tokens < 24_576 ? 'high' : 'xhigh';
}
