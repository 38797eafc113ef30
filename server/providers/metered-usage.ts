import type { TokenUsage } from '../protocols/neutral';

export type MeteredUsage = { usage: TokenUsage; estimated: boolean };

type Reported = { usage: TokenUsage | null; outputReported?: boolean; outputBytes: number };

/**
 * What is billed, and told to the client: the reported usage where it can be true. Output that was
 * seen but not reported is estimated, at no less than what was reported; so is the input of a
 * provider that counts none, for no prompt is empty. Without any report all is. An estimate reads
 * the whole prompt, so it is made only when it is needed.
 */
export function meteredUsage(
  { usage, outputReported = true, outputBytes }: Reported,
  estimate: () => TokenUsage,
): MeteredUsage {
  if (usage === null) return { usage: estimate(), estimated: true };
  const lacksOutput = outputBytes > 0 && (!outputReported || usage.output === 0);
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
