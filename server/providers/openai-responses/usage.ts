import type { TokenUsage } from '../../protocols/neutral';
import { asObject, isObject } from '../../protocols/read-fields';
import { readCount } from '../count';

/**
 * Usage of the responses format as disjoint classes; null when it is absent or not usable. Here input_tokens
 * includes what was read from and written to the cache. Source: OpenAI API reference, "usage" of the response
 * object.
 */
export function readUsage(usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  const input = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens);
  if (input === null || output === null) return null;
  const details = asObject(usage.input_tokens_details);
  const cacheRead = Math.min(input, readCount(details.cached_tokens) ?? 0);
  const cacheWrite5m = Math.min(input - cacheRead, readCount(details.cache_write_tokens) ?? 0);
  const reasoning = readCount(asObject(usage.output_tokens_details).reasoning_tokens) ?? 0;
  return {
    input: input - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output,
    reasoning: Math.min(output, reasoning),
  };
}
