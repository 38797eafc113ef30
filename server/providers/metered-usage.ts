import type { TokenUsage } from '../protocols/neutral';

export type MeteredUsage = { usage: TokenUsage; estimated: boolean };

type Reported = { usage: TokenUsage | null; outputReported?: boolean; outputBytes: number };

/**
 * The usage that is billed and reported to the client: the provider's, where it is plausible. Output that was
 * produced but not reported is estimated, and is at least what was reported. So is output that a provider may
 * have produced unseen before it was cut off. Input is estimated when the provider
 * reports none, because no prompt is empty. Without a report, everything is estimated. An estimate reads the
 * whole prompt, so it is made only when needed.
 */
export function meteredUsage(
  { usage, outputReported = true, outputBytes }: Reported,
  estimate: () => TokenUsage,
  unseenMs = 0,
): MeteredUsage {
  if (usage === null) return { usage: estimate(), estimated: true };
  const lacksOutput = unseenMs > 0 || (outputBytes > 0 && (!outputReported || usage.output === 0));
  const lacksInput = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h === 0;
  if (!lacksOutput && !lacksInput) return { usage, estimated: false };
  const { input, output } = estimate();
  return {
    usage: {
      ...usage,
      ...(lacksInput && { input }),
      ...(lacksOutput && { output: Math.max(usage.output, output) }),
    },
    estimated: true,
  };
}
