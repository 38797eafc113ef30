import type { TokenUsage } from '../../protocols/neutral';

type Json = Record<string, unknown>;

/**
 * Usage of the OpenAI format as disjoint classes; null when it is absent or not usable. Here
 * prompt_tokens includes what was read from and written to the cache. Source: OpenAI API
 * reference, "usage" of the chat completion object.
 */
export function readUsage(usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  if (prompt === null || completion === null) return null;
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const cacheRead = Math.min(prompt, count(details.cached_tokens) ?? 0);
  const cacheWrite = Math.min(prompt - cacheRead, count(details.cache_write_tokens) ?? 0);
  // Some providers leave reasoning out of the completion; the total then shows the gap.
  const output = completion + Math.max(0, (count(usage.total_tokens) ?? 0) - prompt - completion);
  const outputDetails = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(output, count(outputDetails.reasoning_tokens) ?? 0),
  };
}

/** A token count, or null for what is missing, negative or not a number. */
function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
