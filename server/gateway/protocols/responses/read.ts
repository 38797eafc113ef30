import type { Json, OutputFormat, Prompt, Reasoning, ToolChoice, ToolDefinition } from '../neutral';
import { asArray, asObject, asText, isObject, refuse } from '../read-fields';
import { noteDropped, readEffort, refuseDuplicates, requireName } from '../read-options';
import { readConversation } from './read-items';
import type { ResponsesRequest } from './schema';
import { isSearchTool, readSearchTool } from './search-tool';
import { neutralName, readTools, withoutOfflineSearch } from './tools';

/** Fields that are translated, or need no translation. */
const TRANSLATED = new Set([
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'store',
  'stream',
  'stream_options',
  'max_output_tokens',
  'temperature',
  'top_p',
  'reasoning',
  'text',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'include',
  'metadata',
  'user',
  'safety_identifier',
  'client_metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
  'background',
  'conversation',
  'prompt',
]);
/** Values without an effect, of fields without a counterpart: dropped without a warning. */
const IDLE = new Map<string, (value: unknown) => boolean>([
  ['truncation', (value) => value === 'disabled'],
  ['top_logprobs', (value) => value === 0],
]);

/** Reads a responses request for a provider of another format. Adds a warning for each dropped field. */
export function readResponsesPrompt(request: ResponsesRequest, warnings: string[]): Prompt {
  const searches = request.tools?.some(isSearchTool) === true;
  noteDropped(
    request,
    (field, value) =>
      TRANSLATED.has(field) || IDLE.get(field)?.(value) === true || (searches && field === 'max_tool_calls'),
    warnings,
  );
  if (asObject(request.text).verbosity != null) warnings.push('text.verbosity was dropped');
  const offered = withoutOfflineSearch(request.tools ?? [], warnings);
  const tools = readTools(offered);
  refuseDuplicates(tools);
  const choice = readToolChoice(request.tool_choice);
  const search = choice.maySearch ? readSearchTool(offered) : null;
  if (choice.toolChoice?.type === 'search' && search === null)
    throw refuse('tool_choice', 'names a tool that is not among the tools');
  const isAllowed = ({ name }: ToolDefinition): boolean => choice.allowed?.has(name) ?? true;
  return {
    ...readConversation(request, warnings),
    tools: tools.filter(isAllowed),
    search,
    toolChoice: choice.toolChoice,
    parallelTools: request.parallel_tool_calls !== false,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: null,
    stop: [],
    outputFormat: readOutputFormat(request.text?.format),
    reasoning: readReasoning(request.reasoning),
    stream: request.stream === true,
  };
}

type Choice = { toolChoice: ToolChoice | null; allowed: ReadonlySet<string> | null; maySearch: boolean };

const anyTool = (toolChoice: ToolChoice | null): Choice => ({ toolChoice, allowed: null, maySearch: true });

function readToolChoice(choice: unknown): Choice {
  if (choice === undefined || choice === null) return anyTool(null);
  if (choice === 'auto' || choice === 'none') return anyTool({ type: choice });
  if (choice === 'required') return anyTool({ type: 'any' });
  if (!isObject(choice)) throw refuse('tool_choice', 'must be auto, none, required or a function');
  if (choice.type === 'allowed_tools') {
    const tools = asArray(choice.tools).map(asObject);
    return {
      toolChoice: { type: choice.mode === 'required' ? 'any' : 'auto' },
      allowed: new Set(tools.map(nameOf)),
      maySearch: tools.some(isSearchTool),
    };
  }
  if (isSearchTool(choice)) return anyTool({ type: 'search' });
  if (choice.type !== 'function' && choice.type !== 'custom')
    throw refuse('tool_choice.type', 'must be function, custom, web_search or allowed_tools');
  requireName(choice.name, 'tool_choice.name');
  return anyTool({ type: 'tool', name: nameOf(choice) });
}

const nameOf = ({ name, namespace }: Json): string => neutralName(asText(name), asText(namespace) || null);

function readOutputFormat(format: Json | null | undefined): OutputFormat | null {
  if (format == null || format.type === 'text') return null;
  if (format.type === 'json_object') return { type: 'json-object' };
  if (format.type !== 'json_schema')
    throw refuse('text.format.type', 'must be text, json_object or json_schema');
  const { name, schema, strict } = format;
  if (!isObject(schema)) throw refuse('text.format.schema', 'is required');
  return { type: 'json-schema', name: asText(name) || 'response', schema, strict: strict === true };
}

/** A client that asks only for a summary leaves it to the model whether it thinks. */
function readReasoning(reasoning: Json | null | undefined): Reasoning | null {
  const requested = asObject(reasoning).effort;
  if (requested === 'none') return { type: 'off' };
  const effort = readEffort(requested, 'reasoning.effort', ['none']);
  return effort === null ? null : { type: 'effort', effort };
}
