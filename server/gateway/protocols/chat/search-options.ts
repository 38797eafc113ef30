import type { Json, SearchTool } from '../neutral';
import { asObject, asText, readObject, refuse } from '../read-fields';
import { refuseType } from '../read-options';
import { allowSearches, DEFAULT_SEARCHES, isSearchLimit, readDomains, readLocation } from '../web-search';
import type { ChatRequest } from './schema';

/**
 * The ways in which a chat request lets the provider search the web: OpenAI's `web_search_options`, which have no
 * limit, and OpenRouter's tool `openrouter:web_search` and plugin `web`.
 */

export const ROUTER_SEARCH = 'openrouter:web_search';
/** OpenRouter runs the plugin once. */
const PLUGIN_SEARCHES = 1;

type Searching = Pick<ChatRequest, 'web_search_options' | 'tools' | 'plugins' | 'max_tool_calls'>;

/** Where the request asks for searches, and how. */
type RequestedSearch = { place: string; options: Json; limit: number };

const isSearchTool = ({ type }: Json): boolean => type === ROUTER_SEARCH;
const isSearchPlugin = ({ id }: Json): boolean => id === 'web';

const NONE: readonly RequestedSearch[] = [];

function findAsked({ web_search_options: options, tools, plugins }: Searching): readonly RequestedSearch[] {
  if (options == null && plugins == null && !tools?.some(isSearchTool)) return NONE;
  const asked: RequestedSearch[] = [];
  if (options != null) asked.push({ place: 'web_search_options', options, limit: DEFAULT_SEARCHES });
  tools?.forEach((tool, index) => {
    if (!isSearchTool(tool)) return;
    const place = `tools.${index}.parameters`;
    const parameters = readObject(tool.parameters, place);
    asked.push({ place, options: parameters, limit: allowSearches(parameters.max_uses) });
  });
  plugins?.forEach((plugin, index) => {
    if (!isSearchPlugin(plugin) || plugin.enabled === false) return;
    const limit = plugin.max_uses == null ? PLUGIN_SEARCHES : allowSearches(plugin.max_uses);
    asked.push({ place: `plugins.${index}`, options: plugin, limit });
  });
  return asked;
}

/** The most searches that a request allows: 0 if it asks for none. */
export function allowedSearches(request: Searching): number {
  const [asked] = findAsked(request);
  const { max_tool_calls: calls } = request;
  if (asked === undefined) return 0;
  return isSearchLimit(calls) ? Math.min(calls, asked.limit) : asked.limit;
}

/** The tool that other formats have for it, to be measured. The own tool is measured as one. */
export const searchToolOf = ({ web_search_options: options, plugins }: Searching): object[] => [
  ...(options == null ? [] : [{ type: 'web_search', ...options }]),
  ...(plugins ?? []).filter(isSearchPlugin),
];

/** Refuses searches where `searches` is 0, because the model has no price for them, and limits that are none. */
export function refuseSearchOptions(request: Searching, searches: number): void {
  const [asked, other] = findAsked(request);
  if (asked === undefined) return;
  const { place, options } = asked;
  if (searches === 0) throw refuseSearch(place);
  if (other !== undefined)
    throw refuse(other.place, `only one field can ask for web search, and ${place} does`);
  if (options.max_uses != null && !isSearchLimit(options.max_uses))
    throw refuse(`${place}.max_uses`, 'must be a whole number of at least 1');
}

function refuseSearch(place: string) {
  const [tool, index] = place.split('.');
  if (tool === 'tools') return refuseType('tools', ROUTER_SEARCH, `tools.${index}`);
  return refuse(place, 'is not supported by this model: it has no web search');
}

/** The request without its searches: what is left is the same for every provider. */
export function withoutSearch(request: ChatRequest): ChatRequest {
  const { web_search_options: options, tools, plugins } = request;
  const hasTool = tools?.some(isSearchTool) === true;
  const hasPlugin = plugins?.some(isSearchPlugin) === true;
  if (options == null && !hasTool && !hasPlugin) return request;
  const fields: Json = { web_search_options: undefined, max_tool_calls: undefined };
  if (hasTool) fields.tools = withoutAny(tools, isSearchTool);
  if (hasPlugin) fields.plugins = withoutAny(plugins, isSearchPlugin);
  return Object.assign({}, request, fields);
}

function withoutAny(list: readonly Json[], isSearch: (item: Json) => boolean): Json[] | undefined {
  const others = list.filter((item) => !isSearch(item));
  return others.length > 0 ? others : undefined;
}

const READ = new Set([
  'id',
  'enabled',
  'max_uses',
  'max_results',
  'search_context_size',
  'user_location',
  'allowed_domains',
  'excluded_domains',
  'include_domains',
  'exclude_domains',
]);
const MAX_NAMED = 20;

/** Reads the search for the provider. Adds a warning for each option that no provider has. */
export function readSearchOptions(request: Searching, warnings: string[]): SearchTool | null {
  const [asked] = findAsked(request);
  if (asked === undefined) return null;
  const { place, options } = asked;
  const dropped = Object.keys(options).filter((name) => !READ.has(name) && options[name] != null);
  for (const name of dropped.slice(0, MAX_NAMED)) warnings.push(`${place}.${name.slice(0, 40)} was dropped`);
  const location = asObject(options.user_location);
  const domains = (...names: string[]): string[] =>
    names.flatMap((name) => readDomains(options[name], `${place}.${name}`));
  return {
    place,
    allowedDomains: domains('allowed_domains', 'include_domains'),
    blockedDomains: domains('excluded_domains', 'exclude_domains'),
    location: readLocation(location.approximate ?? location),
    contextSize: asText(options.search_context_size) || null,
    maxResults: isSearchLimit(options.max_results) ? options.max_results : null,
  };
}
