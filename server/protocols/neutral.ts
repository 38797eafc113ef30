/**
 * Tokens in disjoint classes, whatever a provider calls them. The input of a request is
 * input + cacheRead + cacheWrite; reasoning is a part of output, kept for information.
 */
export type TokenUsage = {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
};

export const NO_TOKENS: TokenUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
