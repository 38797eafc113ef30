import type { Json, OutputFormat, Prompt, Reasoning, ToolChoice, ToolDefinition } from '../neutral';
import { asArray, asObject, asText, isObject, readObject, refuse } from '../read-fields';
import {
  noteDropped,
  readEffort,
  readThinking,
  refuseDuplicates,
  refuseType,
  requireName,
  toToolSchema,
} from '../read-options';
import { readConversation } from './read-messages';
import { readCacheBreakpoint } from './read-parts';
import type { ChatRequest } from './schema';
import { ROUTER_SEARCH, readSearchOptions, withoutSearch } from './search-options';

/** Fields that are translated, or need no translation. */
const TRANSLATED = new Set([
  'model',
  'messages',
  'n',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'reasoning_effort',
  'reasoning',
  'thinking',
  'user',
  'safety_identifier',
  'metadata',
  'service_tier',
  'modalities',
  'usage',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
]);
/** Values without an effect, of fields without a counterpart: dropped without a warning. */
const IDLE = new Map<string, (value: unknown) => boolean>([
  ['frequency_penalty', (value) => value === 0],
  ['presence_penalty', (value) => value === 0],
  ['logit_bias', (value) => Object.keys(asObject(value)).length === 0],
  ['logprobs', (value) => value === false],
  ['top_logprobs', (value) => value === 0],
  ['store', (value) => value === false],
]);

/** Reads a chat request for a provider of another format. Adds a warning for each dropped field. */
export function readChatPrompt(request: ChatRequest, warnings: string[]): Prompt {
  if ((request.n ?? 1) > 1) throw refuse('n', 'must be 1 for this model');
  noteDropped(
    withoutSearch(request),
    (field, value) => TRANSLATED.has(field) || IDLE.get(field)?.(value) === true,
    warnings,
  );
  if (request.messages.some(({ role, name }) => role === 'user' && asText(name) !== ''))
    warnings.push('messages.name was dropped');
  const tools = readTools(request);
  refuseDuplicates(tools);
  const choice = readToolChoice(request.tool_choice ?? request.function_call);
  const isAllowed = ({ name }: ToolDefinition): boolean => choice.allowed?.has(name) ?? true;
  return {
    ...readConversation(request.messages, warnings),
    tools: tools.filter(isAllowed),
    search: readSearchOptions(request, warnings),
    toolChoice: choice.toolChoice,
    parallelTools: request.parallel_tool_calls !== false,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    stop: [request.stop ?? []].flat(),
    outputFormat: readOutputFormat(request.response_format),
    reasoning: readReasoning(request),
    stream: request.stream === true,
  };
}

function readTools(request: ChatRequest): ToolDefinition[] {
  const legacy = asArray(request.functions).map((called) => ({ type: 'function', function: called }) as Json);
  return [...(request.tools ?? []), ...legacy].flatMap((tool, index) => {
    const param = `tools.${index}`;
    if (tool.type === ROUTER_SEARCH) return [];
    if (tool.type !== 'function') throw refuseType('tools', tool.type, param);
    const called = readObject(tool.function, `${param}.function`);
    return {
      name: requireName(called.name, `${param}.function.name`),
      description: asText(called.description) || null,
      schema: toToolSchema(called.parameters, `${param}.function.parameters`),
      strict: called.strict === true,
      ...readCacheBreakpoint(tool),
    };
  });
}

type Choice = { toolChoice: ToolChoice | null; allowed: ReadonlySet<string> | null };

function readToolChoice(choice: unknown): Choice {
  if (choice === undefined || choice === null) return { toolChoice: null, allowed: null };
  if (choice === 'auto' || choice === 'none') return { toolChoice: { type: choice }, allowed: null };
  if (choice === 'required') return { toolChoice: { type: 'any' }, allowed: null };
  if (!isObject(choice)) throw refuse('tool_choice', 'must be auto, none, required or a function');
  if (choice.type === 'allowed_tools') return readAllowedTools(choice);
  const name = requireName(asObject(choice.function).name ?? choice.name, 'tool_choice.function.name');
  return { toolChoice: { type: 'tool', name }, allowed: null };
}

function readAllowedTools(choice: Json): Choice {
  const { mode, tools } = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  const allowed = asArray(tools).map(
    (tool) => asText(asObject(asObject(tool).function).name) || asText(asObject(tool).name),
  );
  return { toolChoice: { type: mode === 'required' ? 'any' : 'auto' }, allowed: new Set(allowed) };
}

function readOutputFormat(format: Json | null | undefined): OutputFormat | null {
  if (format == null || format.type === 'text') return null;
  if (format.type === 'json_object') return { type: 'json-object' };
  if (format.type !== 'json_schema')
    throw refuse('response_format.type', 'must be text, json_object or json_schema');
  const { name, schema, strict } = asObject(format.json_schema);
  if (!isObject(schema)) throw refuse('response_format.json_schema.schema', 'is required');
  return { type: 'json-schema', name: asText(name) || 'response', schema, strict: strict === true };
}

/** In OpenAI's form, in Anthropic's (`thinking`) or in OpenRouter's (`reasoning`). */
export function readReasoning(request: ChatRequest): Reasoning | null {
  const { effort, enabled, max_tokens } = asObject(request.reasoning);
  const requested = request.reasoning_effort ?? effort;
  if (requested === 'none') return { type: 'off' };
  if (requested == null && request.thinking == null) {
    if (enabled === false) return { type: 'off' };
    if (typeof max_tokens === 'number') return { type: 'budget', tokens: max_tokens };
    if (enabled === true) return { type: 'adaptive', effort: null };
  }
  return readThinking(request.thinking, readEffort(requested, 'reasoning_effort', ['none']));
}
