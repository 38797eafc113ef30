import type { Json, TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, asText } from '../../protocols/read-fields';
import { largerCount, MAX_COUNT, readCount } from '../count';
import { NOTHING_REPORTED, type Reported } from '../metered-usage';

const PROMPT_COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/**
 * The usage object of a stream so far. Counts of one response never fall, and zeros replace nothing. A later report
 * may divide the prompt differently, but if its prompt is smaller, the larger count of each class remains.
 */
export function mergeUsage(earlier: Json, given: unknown): Json {
  const later = asObject(given);
  const largest = (name: string, of = (usage: Json) => usage) =>
    largerCount(readCount(of(earlier)[name]), readCount(of(later)[name]));
  const inPart = (part: string, name: string) => largest(name, (usage) => asObject(usage[part]));
  const prompt = Object.fromEntries(
    PROMPT_COUNTS.map((name) => [name, readCount(later[name]) || largest(name)]),
  );
  const parts = {
    cache_creation: {
      ephemeral_5m_input_tokens: inPart('cache_creation', 'ephemeral_5m_input_tokens'),
      ephemeral_1h_input_tokens: inPart('cache_creation', 'ephemeral_1h_input_tokens'),
    },
    output_tokens: largest('output_tokens'),
    output_tokens_details: { thinking_tokens: inPart('output_tokens_details', 'thinking_tokens') },
    server_tool_use: { web_search_requests: inPart('server_tool_use', 'web_search_requests') },
    iterations: later.iterations ?? earlier.iterations,
  };
  const merged: Json = { ...prompt, ...parts };
  if (countPrompt(merged) < countPrompt(earlier))
    for (const name of PROMPT_COUNTS) merged[name] = largest(name);
  return merged;
}

/** Whether a report contains no other counts than the usage so far. */
export const agreesWith = (merged: Json, given: unknown): boolean =>
  [...PROMPT_COUNTS, 'output_tokens'].every((name) => {
    const count = asObject(given)[name];
    return count == null || count === merged[name];
  });

/** With what was read outside the totals: a compaction shortens the prompt of the message. */
const countPrompt = (usage: Json): number =>
  [usage, ...findSeparate(usage)]
    .flatMap((counts) => PROMPT_COUNTS.map((name) => readCount(counts[name]) ?? 0))
    .reduce((sum, count) => sum + count);

/**
 * Usage of the Anthropic format as disjoint classes. Here input_tokens already excludes cached ones. Source:
 * Anthropic API reference, "usage" of the message. `searchesSeen` are those whose results were seen, in case it does not
 * count them.
 */
export function readUsage(given: unknown, searchesSeen = 0): Reported {
  const usage = asObject(given);
  const total = readClasses(usage);
  for (const iteration of findSeparate(usage)) addUsage(total, readClasses(iteration));
  if (Object.values(total).every((count) => count === 0)) return NOTHING_REPORTED;
  const searches = readCount(asObject(usage.server_tool_use).web_search_requests) ?? searchesSeen;
  return {
    usage: searches === 0 ? total : { ...total, searches },
    inputReported: readCount(usage.input_tokens) !== null,
    outputReported: readCount(usage.output_tokens) !== null,
  };
}

/** Read again with each report of a stream. */
const MAX_ITERATIONS = 100;
const OUTSIDE_TOTALS = /^(compaction|advisor)/;

/** Compaction and advisors run separately: the totals at the top do not include them. */
const findSeparate = ({ iterations }: Json): Json[] =>
  asArray(iterations)
    .slice(0, MAX_ITERATIONS)
    .map(asObject)
    .filter(({ type }) => OUTSIDE_TOTALS.test(asText(type)));

function readClasses(usage: Json): TokenUsage {
  const reasoning = readCount(asObject(usage.output_tokens_details).thinking_tokens) ?? 0;
  return {
    input: readCount(usage.input_tokens) ?? 0,
    cacheRead: readCount(usage.cache_read_input_tokens) ?? 0,
    ...readCacheWrites(usage),
    output: Math.max(readCount(usage.output_tokens) ?? 0, reasoning),
    reasoning,
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
  for (const key of Object.keys(total) as Exclude<
    keyof TokenUsage,
    'searches' | 'inputUnits' | 'outputUnits'
  >[])
    total[key] = Math.min(MAX_COUNT, total[key] + more[key]);
}
