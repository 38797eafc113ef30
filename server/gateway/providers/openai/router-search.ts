import type { Citation, Json, SearchPart, SearchTool } from '../../protocols/neutral';
import { asArray, asObject, asText, refuse } from '../../protocols/read-fields';
import { readCount } from '../count';
import type { ProviderProfile } from '../profiles';
import type { RequestTarget } from '../request-target';

/**
 * The web search that OpenRouter runs for any model, as a tool of its chat format. Always with one search engine:
 * others have other prices, and that of the model's own provider has no limit. Source: OpenRouter's guides,
 * "Web Search" and "Server Tools", November 2026.
 */

const ENGINE = 'exa';
const RESULTS = 5;
/** The price of a search includes as many. */
const MOST_RESULTS = 10;
/** Of all results of a search. The hold covers three tokens for each (`profiles.ts`). */
const CHARACTERS = 15_000;

export const hasRouterSearch = ({ webSearch }: Pick<ProviderProfile, 'webSearch'>): boolean =>
  webSearch?.isRouterTool === true;

/** The fields of a request that may search. Each search is a call, after which the model reads the prompt again. */
export function writeRouterSearch(search: SearchTool, target: RequestTarget): { tool: Json; limit: Json } {
  const { searches, warnings } = target;
  const { place, allowedDomains, blockedDomains, location, contextSize, maxResults } = search;
  if (allowedDomains.length > 0 && blockedDomains.length > 0)
    throw refuse(place, 'this model accepts either allowed or blocked domains, not both');
  if (location !== null) warnings.push('{search}.user_location was dropped');
  if (contextSize !== null && contextSize !== 'medium')
    warnings.push('{search}.search_context_size was dropped');
  const results = Math.min(MOST_RESULTS, maxResults ?? RESULTS);
  if (maxResults !== null && maxResults > results)
    warnings.push(`{search}.max_results was lowered to ${results}`);
  const parameters = {
    engine: ENGINE,
    max_uses: searches,
    max_results: results,
    max_characters: Math.floor(CHARACTERS / results),
    ...(allowedDomains.length > 0 && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { excluded_domains: blockedDomains }),
  };
  return {
    tool: { type: 'openrouter:web_search', parameters },
    limit: { max_tool_calls: searches },
  };
}

/** The searches in a usage, under the name of OpenRouter's reference or that of its guide. */
export function readSearches(usage: Json): number {
  const details = [usage.server_tool_use_details, usage.server_tool_use].map(asObject);
  return details.map((of) => readCount(of.web_search_requests)).find((count) => count !== null) ?? 0;
}

/** The sources of a message or delta, at a provider that has this search. */
export function readAnnotations({ annotations }: Json, profile: ProviderProfile): Citation[] {
  if (annotations == null || !hasRouterSearch(profile)) return [];
  return asArray(annotations).flatMap((annotation) => {
    const { type, url_citation } = asObject(annotation);
    const { url, title, start_index: start, end_index: end } = asObject(url_citation);
    if (type !== 'url_citation' || typeof url !== 'string') return [];
    const isSpan = typeof start === 'number' && typeof end === 'number' && end > start;
    return [{ url, title: asText(title), ...(isSpan && { span: { start, end } }) }];
  });
}

/** The search that found the sources. OpenRouter reports neither its query nor the pages that are not cited. */
export function findSearch(citations: readonly Citation[], newId: () => string): SearchPart[] {
  if (citations.length === 0) return [];
  const pages = new Map(citations.map(({ url, title }) => [url, { url, title, age: null }]));
  return [{ type: 'search', id: newId(), query: '', pages: [...pages.values()] }];
}
