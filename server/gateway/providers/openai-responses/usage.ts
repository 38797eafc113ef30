import type { Json } from '../../protocols/neutral';
import { asArray, asObject } from '../../protocols/read-fields';
import { readCount } from '../count';
import type { Reported } from '../metered-usage';
import { type Counts, deriveUsage } from '../reported-counts';

/** The usage of a complete response, with its searches. */
export const readMetered = (response: Json): Reported => deriveUsage(readCounts(response), false);

/** OpenAI bills searches, but not the pages that they open. */
export const isSearch = ({ type, status, action }: Json): boolean =>
  type === 'web_search_call' && status !== 'failed' && (asObject(action).type ?? 'search') === 'search';

/** Usage of the responses format. Source: OpenAI API reference, "usage" of the response object. */
export function readCounts({ usage: reported, output }: Json): Counts {
  const usage = asObject(reported);
  const details = asObject(usage.input_tokens_details);
  return {
    prompt: readCount(usage.input_tokens),
    cached: readCount(details.cached_tokens),
    written: readCount(details.cache_write_tokens),
    output: readCount(usage.output_tokens),
    reasoning: readCount(asObject(usage.output_tokens_details).reasoning_tokens),
    total: readCount(usage.total_tokens),
    searches: asArray(output).map(asObject).filter(isSearch).length,
    heard: null,
    spoken: null,
  };
}
