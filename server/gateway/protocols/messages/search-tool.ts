import type { Json, SearchTool } from '../neutral';
import { asArray, asText, refuse } from '../read-fields';
import { refuseType } from '../read-options';
import { allowSearches, isSearchLimit, readDomains, readLocation } from '../web-search';
import { readCacheBreakpoint } from './read-blocks';

/** The tool `web_search` of the messages format, by which the provider searches the web. */

const FIRST_VERSION = 'web_search_20250305';

type Tools = readonly Json[] | null | undefined;

export const isSearchTool = ({ type }: Json): boolean => /^web_search_\d{8}$/.test(asText(type));

/** The most searches that the tools of a request allow: 0 without the tool. */
export function allowedSearches(tools: Tools): number {
  const tool = tools?.find(isSearchTool);
  return tool === undefined ? 0 : allowSearches(tool.max_uses);
}

/** Refuses searches where `searches` is 0, because the model has no price for them, and limits that are none. */
export function refuseSearchTool(tools: Tools, searches: number): void {
  const [first, second] = (tools ?? []).flatMap((tool, index) =>
    isSearchTool(tool) ? [{ tool, index }] : [],
  );
  if (first === undefined) return;
  const { tool, index } = first;
  if (searches === 0) throw refuseType('tools', tool.type, `tools.${index}`);
  if (second !== undefined) throw refuse(`tools.${second.index}.type`, 'only one tool can search the web');
  if (tool.max_uses != null && !isSearchLimit(tool.max_uses))
    throw refuse(`tools.${index}.max_uses`, 'must be a whole number of at least 1');
}

/** Limits the searches to those that the hold covers, for Anthropic. */
export function limitSearchTool(tools: readonly Json[], searches: number): readonly Json[] {
  const index = tools.findIndex(isSearchTool);
  if (index === -1) return tools;
  const tool = tools[index] as Json;
  // Later versions let the model filter results with code, which reads the prompt any number of times.
  const callers = asArray(tool.allowed_callers);
  if (tool.type !== FIRST_VERSION && (callers.length !== 1 || callers[0] !== 'direct'))
    throw refuse(`tools.${index}.allowed_callers`, `must be ["direct"], unless the type is ${FIRST_VERSION}`);
  return tools.with(index, Object.assign({}, tool, { max_uses: searches }));
}

/** Reads the tool for a provider of another format. */
export function readSearchTool(tools: readonly Json[]): SearchTool | null {
  const index = tools.findIndex(isSearchTool);
  const tool = tools[index];
  if (tool === undefined) return null;
  const place = `tools.${index}`;
  return {
    place,
    allowedDomains: readDomains(tool.allowed_domains, `${place}.allowed_domains`),
    blockedDomains: readDomains(tool.blocked_domains, `${place}.blocked_domains`),
    location: readLocation(tool.user_location),
    contextSize: null,
    maxResults: null,
    ...readCacheBreakpoint(tool),
  };
}
