import type { Json, ToolDefinition } from '../neutral';
import { asArray, asObject, asText, readObject, refuse } from '../read-fields';
import { refuseType, requireName, toToolSchema } from '../read-options';
import { isSearchTool } from './search-tool';

/**
 * The tools of a request: functions, tools with text as their input (`custom`), and namespaces of both. Other
 * formats know only functions, so a namespace becomes a part of the name, and text the only argument.
 */
export type OfferedTool = { isCustom: boolean; name: string; namespace: string | null };

/** The name under which a model sees a tool. */
export const neutralName = (name: string, namespace: string | null): string =>
  namespace === null ? name : `${namespace}__${name}`;

/** Tools by the name under which a model sees them. */
export function offeredTools(tools: readonly Json[]): Map<string, OfferedTool> {
  const offered = new Map<string, OfferedTool>();
  const add = (tool: Json, namespace: string | null): void => {
    const name = asText(tool.name);
    offered.set(neutralName(name, namespace), { isCustom: tool.type === 'custom', name, namespace });
  };
  for (const tool of tools) {
    if (tool.type !== 'namespace') add(tool, null);
    else for (const inner of asArray(tool.tools)) add(asObject(inner), asText(tool.name));
  }
  return offered;
}

/** Reads the tools for a provider of another format. `refuseUnpricedResponses` has refused other types. */
export function readTools(tools: readonly Json[]): ToolDefinition[] {
  return tools.flatMap((tool, index): ToolDefinition[] => {
    const place = `tools.${index}`;
    if (isSearchTool(tool)) return [];
    if (tool.type !== 'namespace') return [readTool(tool, null, place)];
    const namespace = requireName(tool.name, `${place}.name`);
    return asArray(tool.tools).map((inner, at) =>
      readTool(asObject(inner), namespace, `${place}.tools.${at}`),
    );
  });
}

function readTool(tool: Json, namespace: string | null, place: string): ToolDefinition {
  const isCustom = tool.type === 'custom';
  return {
    name: neutralName(requireName(tool.name, `${place}.name`), namespace),
    description: (isCustom ? describeCustom(tool) : asText(tool.description)) || null,
    schema: isCustom ? TEXT_SCHEMA : toToolSchema(tool.parameters, `${place}.parameters`),
    strict: tool.strict === true,
  };
}

/** The tools as the longest of the forms in which a model may see them, to be measured. */
export function longestTools(tools: readonly Json[]): Json[] {
  return tools.flatMap((tool) => {
    if (tool.type !== 'namespace') return [longestTool(tool)];
    const named = asArray(tool.tools).map((inner) =>
      longestTool(Object.assign({ namespace: tool.name }, asObject(inner))),
    );
    return [{ name: tool.name, description: tool.description }, ...named];
  });
}

const longestTool = (tool: Json): Json =>
  tool.type === 'custom'
    ? Object.assign({ grammar: describeGrammar(' ', ''), schema: TEXT_SCHEMA }, tool)
    : tool;

const TEXT_SCHEMA: Json = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

function describeCustom({ description, format }: Json): string {
  const { definition, syntax } = asObject(format);
  const grammar = asText(definition) === '' ? '' : describeGrammar(asText(syntax), asText(definition));
  return [asText(description), grammar].filter(Boolean).join('\n\n');
}

const describeGrammar = (syntax: string, definition: string): string =>
  `The input follows this ${syntax} grammar:\n${definition}`;

/** The text in the arguments of a call of a `custom` tool. */
export const readCustomInput = (parsed: unknown, json: string): string => {
  const { input } = asObject(parsed);
  return typeof input === 'string' ? input : json;
};

const CLIENT_TOOLS = new Set<unknown>(['function', 'custom']);

/** Refuses tools that run at the provider, except searches where they have a price. */
export function refuseProviderTools(
  tools: readonly Json[],
  { maySearch, param = 'tools' }: { maySearch: boolean; param?: string },
): void {
  for (const [index, tool] of tools.entries()) {
    const place = `${param}.${index}`;
    if (tool.type === 'namespace' && param === 'tools')
      refuseProviderTools(
        asArray(tool.tools).map((inner, at) => readObject(inner, `${place}.tools.${at}`)),
        { maySearch: false, param: `${place}.tools` },
      );
    else if (!CLIENT_TOOLS.has(tool.type) && !(maySearch && isSearchTool(tool)))
      throw refuseTool(tool, place);
  }
}

function refuseTool({ type }: Json, place: string): Error {
  const name = asText(type);
  if (name === '') return refuseType('tools', type, place);
  return refuse(
    `${place}.type`,
    `tools of type ${name.slice(0, 40)} are not supported: only function, custom and namespace are`,
  );
}

/**
 * A search without access to the web, which Codex offers by default. It is dropped with a warning: a client that
 * asks for no live search can do without it.
 */
const isOfflineSearch = ({ type, external_web_access }: Json): boolean =>
  type === 'web_search' && external_web_access === false;

export function withoutOfflineSearch(tools: readonly Json[], warnings: string[]): readonly Json[] {
  if (!tools.some(isOfflineSearch)) return tools;
  warnings.push('the tool web_search was dropped');
  return tools.filter((tool) => !isOfflineSearch(tool));
}
