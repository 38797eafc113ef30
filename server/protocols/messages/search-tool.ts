import type { Json } from '../neutral';
import { asArray, asText, refuse } from '../read-fields';
import { allowSearches, isSearchLimit } from '../web-search';

/** The tool `web_search` of the messages format, by which the provider searches the web. */

const FIRST_VERSION = 'web_search_20250305';

const isSearchTool = ({ type }: Json): boolean => /^web_search_\d{8}$/.test(asText(type));

/** The most searches that the tools of a request allow: 0 without the tool. */
export function allowedSearches(tools: readonly Json[] | null | undefined): number {
  const tool = tools?.find(isSearchTool);
  return tool === undefined ? 0 : allowSearches(tool.max_uses);
}

/**
 * Limits the searches to those that the hold covers. Refuses them where `searches` is 0, because the model has no
 * price for them.
 */
export function limitSearchTool(tools: readonly Json[], searches: number): readonly Json[] {
  const index = tools.findIndex(isSearchTool);
  if (index === -1) return tools;
  const place = `tools.${index}`;
  const tool = tools[index] as Json;
  if (searches === 0)
    throw refuse(`${place}.type`, `tools of type ${asText(tool.type)} are not supported by this model`);
  const second = tools.findIndex((other, at) => at > index && isSearchTool(other));
  if (second !== -1) throw refuse(`tools.${second}.type`, 'only one tool can search the web');
  if (tool.max_uses != null && !isSearchLimit(tool.max_uses))
    throw refuse(`${place}.max_uses`, 'must be a whole number of at least 1');
  // Later versions let the model filter results with code, which reads the prompt any number of times.
  const callers = asArray(tool.allowed_callers);
  if (tool.type !== FIRST_VERSION && (callers.length !== 1 || callers[0] !== 'direct'))
    throw refuse(`${place}.allowed_callers`, `must be ["direct"], unless the type is ${FIRST_VERSION}`);
  return tools.with(index, Object.assign({}, tool, { max_uses: searches }));
}
