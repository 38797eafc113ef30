import type { TokenUsage } from '../protocols/neutral';

export type MeteredUsage = { usage: TokenUsage; estimated: boolean };

type Reported = { usage: TokenUsage | null; outputReported?: boolean; outputBytes: number };

/**
 * What is billed, and told to the client: the reported usage where it can be true. Output that was
 * seen but not reported is estimated, at no less than what was reported; without any report all is.
 */
export function meteredUsage(
  { usage, outputReported = true, outputBytes }: Reported,
  estimate: TokenUsage,
): MeteredUsage {
  if (usage === null) return { usage: estimate, estimated: true };
  const isSilent = outputBytes > 0 && (!outputReported || usage.output === 0);
  if (!isSilent) return { usage, estimated: false };
  return { usage: { ...usage, output: Math.max(usage.output, estimate.output) }, estimated: true };
}
