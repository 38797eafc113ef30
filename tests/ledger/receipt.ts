import type { Receipt } from '../../server/ledger';

/** The receipt of an arbitrary request, for tests of the amounts only. */
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
  webSearches: null,
  inputUnits: null,
  outputUnits: null,
  estimated: false,
  costReported: true,
  outcome: 'completed',
  attempts: null,
  dataRules: null,
});
