import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, isObject } from '../../protocols/read-fields';
import { MAX_COUNT, readCount } from '../count';

/** What is read of a usage and of the end of a message: each event may bring other fields. */
const MERGED = [
  ...['input_tokens', 'output_tokens', 'output_tokens_details', 'server_tool_use', 'iterations'],
  ...['cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation'],
  ...['stop_reason', 'stop_sequence', 'stop_details'],
];

/** The usage object so far: later numbers are cumulative and replace earlier ones, if they are plausible. */
export function overwriteUsage(earlier: Json, later: unknown): Json {
  const merged = { ...earlier };
  for (const key of MERGED) {
    const value = asObject(later)[key];
    if (key.endsWith('_tokens') ? readCount(value) !== null : value != null) merged[key] = value;
  }
  // A breakdown that no longer matches its total is dropped.
  const isStale = merged.cache_creation === earlier.cache_creation;
  if (isStale && merged.cache_creation_input_tokens !== earlier.cache_creation_input_tokens)
    merged.cache_creation = undefined;
  return merged;
}

/**
 * Usage of the Anthropic format as disjoint classes; null when it is absent. Here input_tokens
 * already excludes cached ones. Source: Anthropic API reference, "usage" of the message.
 */
export function readUsage(usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  const total = readClasses(usage);
  if (total === null) return null;
  // Compaction and advisors run separately: the totals at the top do not include them.
  for (const iteration of asArray(usage.iterations).slice(0, MAX_ITERATIONS).map(asObject)) {
    const separate = OUTSIDE_TOTALS.test(String(iteration.type)) ? readClasses(iteration) : null;
    if (separate !== null) addUsage(total, separate);
  }
  const searches = readCount(asObject(usage.server_tool_use).web_search_requests) ?? 0;
  return searches === 0 ? total : { ...total, searches };
}

/** Read again with each report of a stream. */
const MAX_ITERATIONS = 100;
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

/** Writes outside the breakdown are for five minutes. */
function readCacheWrites(usage: Json): { cacheWrite5m: number; cacheWrite1h: number } {
  const split = asObject(usage.cache_creation);
  const cacheWrite1h = readCount(split.ephemeral_1h_input_tokens) ?? 0;
  const short = readCount(split.ephemeral_5m_input_tokens) ?? 0;
  const total = readCount(usage.cache_creation_input_tokens) ?? short + cacheWrite1h;
  return { cacheWrite5m: Math.max(short, total - cacheWrite1h), cacheWrite1h };
}

function addUsage(total: TokenUsage, more: TokenUsage): void {
  for (const key of Object.keys(total) as Exclude<keyof TokenUsage, 'searches'>[])
    total[key] = Math.min(MAX_COUNT, total[key] + more[key]);
}
