import type { SearchTool } from '../neutral';
import { asObject, asText, refuse } from '../read-fields';
import { DEFAULT_SEARCHES, readLocation } from '../web-search';
import type { ChatRequest } from './schema';

/** The field `web_search_options` of the chat format, by which the provider searches the web. It has no limit. */

type Searching = Pick<ChatRequest, 'web_search_options'>;

export const allowedSearches = ({ web_search_options: options }: Searching): number =>
  options == null ? 0 : DEFAULT_SEARCHES;

/** The tool that other formats have for it, to be measured. */
export const searchToolOf = ({ web_search_options: options }: Searching): object[] =>
  options == null ? [] : [{ type: 'web_search', ...options }];

/** Refuses searches where `searches` is 0, because the model has no price for them. */
export function refuseSearchOptions({ web_search_options: options }: Searching, searches: number): void {
  if (options != null && searches === 0)
    throw refuse('web_search_options', 'is not supported by this model: it has no web search');
}

export function readSearchOptions({ web_search_options: options }: Searching): SearchTool | null {
  if (options == null) return null;
  return {
    place: 'web_search_options',
    allowedDomains: [],
    blockedDomains: [],
    location: readLocation(asObject(options.user_location).approximate),
    contextSize: asText(options.search_context_size) || null,
  };
}
