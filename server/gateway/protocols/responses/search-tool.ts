import type { Json, SearchTool } from '../neutral';
import { asObject, asText, refuse } from '../read-fields';
import { allowSearches, isSearchLimit, readDomains, readLocation } from '../web-search';
import type { ResponsesRequest } from './schema';

/** The tool `web_search` of the responses format. `max_tool_calls` limits its searches and the pages it opens. */

/** Without access to the web, it is not a search: see `withoutOfflineSearch`. */
export const isSearchTool = ({ type, external_web_access }: Json): boolean =>
  /^web_search(_\d{4}_\d{2}_\d{2})?$/.test(asText(type)) && external_web_access !== false;

/** The most searches that a request allows: 0 without the tool. */
export function allowedSearches({ tools, max_tool_calls: limit }: ResponsesRequest): number {
  return tools?.some(isSearchTool) ? allowSearches(limit) : 0;
}

/** Refuses a limit that is none. */
export function refuseSearchLimit({ tools, max_tool_calls: limit }: ResponsesRequest): void {
  if (limit != null && tools?.some(isSearchTool) && !isSearchLimit(limit))
    throw refuse('max_tool_calls', 'must be a whole number of at least 1');
}

/** Reads the tool for a provider of another format. */
export function readSearchTool(tools: readonly Json[]): SearchTool | null {
  const index = tools.findIndex(isSearchTool);
  const tool = tools[index];
  if (tool === undefined) return null;
  const place = `tools.${index}`;
  const filters = asObject(tool.filters);
  return {
    place,
    allowedDomains: readDomains(filters.allowed_domains, `${place}.filters.allowed_domains`),
    blockedDomains: readDomains(filters.blocked_domains, `${place}.filters.blocked_domains`),
    location: readLocation(tool.user_location),
    contextSize: asText(tool.search_context_size) || null,
    maxResults: null,
  };
}
