import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, isObject } from '../../protocols/read-fields';
import { MOST_TOKENS, readCount } from '../count';

/** The usage object as it stands so far: later numbers are cumulative and take the place of earlier ones, if they can be true. */
export function overwriteUsage(earlier: Json, later: unknown): Json {
  const merged = { ...earlier };
  for (const [key, value] of Object.entries(asObject(later))) {
    if (key.endsWith('_tokens') ? readCount(value) !== null : value != null) merged[key] = value;
  }
  // A split that no longer fits its total says nothing.
  const isStale = merged.cache_creation === earlier.cache_creation;
  if (isStale && merged.cache_creation_input_tokens !== earlier.cache_creation_input_tokens)
    merged.cache_creation = undefined;
  return merged;
}

/**
 * Usage of the Anthropic format as disjoint classes; null when it is absent. Here input_tokens
 * leaves the cached ones out already. Source: Anthropic API reference, "usage" of the message.
 */
export function readUsage(usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  const total = readClasses(usage);
  if (total === null) return null;
  // Compaction and advisors work beside the message: the totals at the top leave them out.
  for (const iteration of asArray(usage.iterations).map(asObject)) {
    const beside = OUTSIDE_TOTALS.test(String(iteration.type)) ? readClasses(iteration) : null;
    if (beside !== null) addUsage(total, beside);
  }
  return total;
}

const OUTSIDE_TOTALS = /^(compaction|advisor)/;

function readClasses(usage: Json): TokenUsage | null {
  const input = readCount(usage.input_tokens);
  const output = readCount(usage.output_tokens);
  if (input === null || output === null) return null;
  const thinking = readCount(asObject(usage.output_tokens_details).thinking_tokens) ?? 0;
  return {
    input,
    cacheRead: readCount(usage.cache_read_input_tokens) ?? 0,
    ...readCacheWrites(usage),
    output,
    reasoning: Math.min(output, thinking),
  };
}

/** What the split does not name was written for five minutes. */
function readCacheWrites(usage: Json): { cacheWrite5m: number; cacheWrite1h: number } {
  const split = asObject(usage.cache_creation);
  const cacheWrite1h = readCount(split.ephemeral_1h_input_tokens) ?? 0;
  const short = readCount(split.ephemeral_5m_input_tokens) ?? 0;
  const total = readCount(usage.cache_creation_input_tokens) ?? short + cacheWrite1h;
  return { cacheWrite5m: Math.max(short, total - cacheWrite1h), cacheWrite1h };
}

function addUsage(total: TokenUsage, more: TokenUsage): void {
  for (const key of Object.keys(total) as (keyof TokenUsage)[])
    total[key] = Math.min(MOST_TOKENS, total[key] + more[key]);
}
