import type { Json } from '../neutral';
import { asText, refuse } from '../read-fields';
import { allowSearches, isSearchLimit } from '../web-search';
import type { ResponsesRequest } from './schema';

/** The tool `web_search` of the responses format. `max_tool_calls` limits its searches and the pages it opens. */

type Limited = Pick<ResponsesRequest, 'tools'> & { max_tool_calls?: unknown };

/** Without access to the web, it is not a search: see `withoutOfflineSearch`. */
export const isSearchTool = ({ type, external_web_access }: Json): boolean =>
  /^web_search(_\d{4}_\d{2}_\d{2})?$/.test(asText(type)) && external_web_access !== false;

/** The most searches that a request allows: 0 without the tool. */
export function allowedSearches({ tools, max_tool_calls: limit }: Limited): number {
  return tools?.some(isSearchTool) ? allowSearches(limit) : 0;
}

/** Refuses a limit that is none. */
export function refuseSearchLimit({ tools, max_tool_calls: limit }: Limited): void {
  if (limit != null && tools?.some(isSearchTool) && !isSearchLimit(limit))
    throw refuse('max_tool_calls', 'must be a whole number of at least 1');
}
