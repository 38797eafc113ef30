import type { Receipt } from '../../server/ledger';

/** The facts of some request, where a test cares about the money only. */
export const receipt = (): Receipt => ({
  model: 'test/model',
  provider: 'test',
  priceVersion: 'test@1',
  inputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 5,
  reasoningTokens: 0,
  estimated: false,
  outcome: 'completed',
});
