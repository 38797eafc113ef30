import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, isObject } from '../../protocols/read-fields';
import { readCount } from '../count';

/** The usage of a complete response, with its searches. */
export function readMetered({ usage: reported, output }: Json): TokenUsage | null {
  const usage = readUsage(reported);
  const searches = asArray(output).map(asObject).filter(isSearch).length;
  return usage === null || searches === 0 ? usage : { ...usage, searches };
}

/** OpenAI bills searches, but not the pages that they open. */
export const isSearch = ({ type, status, action }: Json): boolean =>
  type === 'web_search_call' && status !== 'failed' && (asObject(action).type ?? 'search') === 'search';

/**
 * Usage of the responses format as disjoint classes; null when it is absent or not usable. Here input_tokens
 * includes what was read from and written to the cache. Source: OpenAI API reference, "usage" of the response
 * object.
 */
function readUsage(usage: unknown): TokenUsage | null {
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
