import type { Json, OutputFormat, Prompt, Reasoning, ToolChoice, ToolDefinition } from '../neutral';
import { asArray, asObject, asText, isObject, refuse } from '../read-fields';
import { noteDropped, readEffort, refuseDuplicates, requireName } from '../read-options';
import { readConversation } from './read-items';
import type { ResponsesRequest } from './schema';
import { neutralName, readTools, withoutOfflineSearch } from './tools';

/** Fields that are translated, or need no translation. */
const TRANSLATED = new Set([
  ...['model', 'input', 'instructions', 'previous_response_id', 'store', 'stream', 'stream_options'],
  ...['max_output_tokens', 'temperature', 'top_p', 'reasoning', 'text', 'tools', 'tool_choice'],
  ...['parallel_tool_calls', 'include', 'metadata', 'user', 'safety_identifier', 'client_metadata'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'service_tier'],
  ...['background', 'conversation', 'prompt'],
]);
/** Values without an effect, of fields without a counterpart: dropped without a warning. */
const IDLE = new Map<string, (value: unknown) => boolean>([
  ['truncation', (value) => value === 'disabled'],
  ['top_logprobs', (value) => value === 0],
]);

/** Reads a responses request for a provider of another format. Adds a warning for each dropped field. */
export function readResponsesPrompt(request: ResponsesRequest, warnings: string[]): Prompt {
  noteDropped(
    request,
    (field, value) => TRANSLATED.has(field) || IDLE.get(field)?.(value) === true,
    warnings,
  );
  if (asObject(request.text).verbosity != null) warnings.push('text.verbosity was dropped');
  const tools = readTools(withoutOfflineSearch(request.tools ?? [], warnings));
  refuseDuplicates(tools);
  const choice = readToolChoice(request.tool_choice);
  const isAllowed = ({ name }: ToolDefinition): boolean => choice.allowed?.has(name) ?? true;
  return {
    ...readConversation(request),
    tools: tools.filter(isAllowed),
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

type Choice = { toolChoice: ToolChoice | null; allowed: ReadonlySet<string> | null };

function readToolChoice(choice: unknown): Choice {
  if (choice === undefined || choice === null) return { toolChoice: null, allowed: null };
  if (choice === 'auto' || choice === 'none') return { toolChoice: { type: choice }, allowed: null };
  if (choice === 'required') return { toolChoice: { type: 'any' }, allowed: null };
  if (!isObject(choice)) throw refuse('tool_choice', 'must be auto, none, required or a function');
  if (choice.type === 'allowed_tools') {
    const allowed = asArray(choice.tools).map((tool) => nameOf(asObject(tool)));
    return { toolChoice: { type: choice.mode === 'required' ? 'any' : 'auto' }, allowed: new Set(allowed) };
  }
  if (choice.type !== 'function' && choice.type !== 'custom')
    throw refuse('tool_choice.type', 'must be function, custom or allowed_tools');
  requireName(choice.name, 'tool_choice.name');
  return { toolChoice: { type: 'tool', name: nameOf(choice) }, allowed: null };
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
