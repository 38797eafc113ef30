import type { TokenUsage } from '../protocols/neutral';

export type MeteredUsage = { usage: TokenUsage; estimated: boolean };

type Reported = {
  usage: TokenUsage | null;
  outputReported?: boolean;
  outputBytes: number;
  /** Web searches whose results were seen. */
  searches?: number;
};

/**
 * The usage that is billed and reported to the client: the provider's, where it is plausible. Output that was
 * produced but not reported is estimated, and is at least what was reported. So is output that a provider may
 * have produced unseen before it was cut off. Input is estimated when the provider
 * reports none, because no prompt is empty. Without a report, everything is estimated. An estimate reads the
 * whole prompt, so it is made only when needed.
 */
export function meteredUsage(
  { usage, outputReported = true, outputBytes, searches = 0 }: Reported,
  estimate: () => TokenUsage,
  unseenMs = 0,
): MeteredUsage {
  if (usage === null) return { usage: addSearches(estimate(), searches), estimated: true };
  const lacksOutput = unseenMs > 0 || (outputBytes > 0 && (!outputReported || usage.output === 0));
  const lacksInput = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h === 0;
  const lacksSearches = searches > 0 && !outputReported;
  if (!lacksOutput && !lacksInput && !lacksSearches) return { usage, estimated: false };
  const { input, output } = estimate();
  const known = {
    ...usage,
    ...(lacksInput && { input }),
    ...(lacksOutput && { output: Math.max(usage.output, output) }),
  };
  return { usage: lacksSearches ? addSearches(known, searches) : known, estimated: true };
}

/** What the results of a search add to the prompt: 11,600 tokens in a recorded response. */
const TOKENS_OF_RESULTS = 12_000;

/** After each search, the model reads the prompt again, with the results so far. */
function addSearches(usage: TokenUsage, searches: number): TokenUsage {
  if (searches === 0) return usage;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  const results = (TOKENS_OF_RESULTS * searches * (searches + 1)) / 2;
  return { ...usage, searches, input: usage.input + searches * prompt + results };
}
