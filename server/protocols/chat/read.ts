import type { Json, OutputFormat, Prompt, Reasoning, ToolChoice, ToolDefinition } from '../neutral';
import { asArray, asNumber, asObject, asText, isObject, refuse } from '../read-fields';
import { readEffort, readThinking, refuseDuplicates, requireToolName, toToolSchema } from '../read-options';
import { readConversation } from './read-messages';
import { readCacheMark } from './read-parts';
import type { ChatRequest } from './schema';

/** Fields that only tune, with no counterpart; the value that changes nothing is dropped in silence. */
const DROPPED: Record<string, (value: unknown) => boolean> = {
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  logit_bias: (value) => Object.keys(asObject(value)).length === 0,
  seed: () => false,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  verbosity: () => false,
  prediction: () => false,
  store: (value) => value === false,
  moderation: () => false,
};

/** Reads a chat request for a provider of another format. What is dropped is told in `warnings`. */
export function readChatPrompt(request: ChatRequest, warnings: string[]): Prompt {
  if ((request.n ?? 1) > 1) throw refuse('n', 'must be 1 for this model');
  for (const [field, isIdle] of Object.entries(DROPPED)) {
    const value = request[field];
    if (value !== undefined && value !== null && !isIdle(value)) warnings.push(`${field} was dropped`);
  }
  const tools = readTools(request);
  refuseDuplicates(tools);
  const choice = readToolChoice(request.tool_choice ?? request.function_call);
  const isAllowed = ({ name }: ToolDefinition): boolean => choice.allowed?.includes(name) ?? true;
  return {
    ...readConversation(request.messages),
    tools: tools.filter(isAllowed),
    toolChoice: choice.toolChoice,
    parallelTools: request.parallel_tool_calls !== false,
    temperature: asNumber(request.temperature),
    topP: asNumber(request.top_p),
    topK: asNumber(request.top_k),
    stop: [request.stop ?? []].flat().filter((text): text is string => typeof text === 'string'),
    outputFormat: readOutputFormat(request.response_format),
    reasoning: readReasoning(request),
    stream: request.stream === true,
  };
}

function readTools(request: ChatRequest): ToolDefinition[] {
  const legacy = asArray(request.functions).map((called) => ({ type: 'function', function: called }) as Json);
  return [...(request.tools ?? []), ...legacy].map((tool, index) => {
    const param = `tools.${index}`;
    if (tool.type !== 'function') {
      throw refuse(
        `${param}.type`,
        `tools of type ${asText(tool.type).slice(0, 40)} are not supported by this model`,
      );
    }
    const called = asObject(tool.function);
    return {
      name: requireToolName(called.name, `${param}.function.name`),
      description: asText(called.description) || null,
      schema: toToolSchema(called.parameters),
      strict: called.strict === true,
      ...readCacheMark(tool),
    };
  });
}

type Choice = { toolChoice: ToolChoice | null; allowed: string[] | null };

function readToolChoice(choice: unknown): Choice {
  if (choice === undefined || choice === null) return { toolChoice: null, allowed: null };
  if (choice === 'auto' || choice === 'none') return { toolChoice: { type: choice }, allowed: null };
  if (choice === 'required') return { toolChoice: { type: 'any' }, allowed: null };
  if (!isObject(choice)) throw refuse('tool_choice', 'must be auto, none, required or a function');
  if (choice.type === 'allowed_tools') return readAllowedTools(choice);
  const name = requireToolName(asObject(choice.function).name ?? choice.name, 'tool_choice.function.name');
  return { toolChoice: { type: 'tool', name }, allowed: null };
}

function readAllowedTools(choice: Json): Choice {
  const { mode, tools } = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  const allowed = asArray(tools).map(
    (tool) => asText(asObject(asObject(tool).function).name) || asText(asObject(tool).name),
  );
  return { toolChoice: { type: mode === 'required' ? 'any' : 'auto' }, allowed };
}

function readOutputFormat(format: unknown): OutputFormat | null {
  if (!isObject(format) || format.type === 'text') return null;
  if (format.type === 'json_object') return { type: 'json-object' };
  if (format.type !== 'json_schema')
    throw refuse('response_format.type', 'must be text, json_object or json_schema');
  const { name, schema, strict } = asObject(format.json_schema);
  if (!isObject(schema)) throw refuse('response_format.json_schema.schema', 'is required');
  return { type: 'json-schema', name: asText(name) || 'response', schema, strict: strict === true };
}

function readReasoning(request: ChatRequest): Reasoning | null {
  const asked = request.reasoning_effort ?? asObject(request.reasoning).effort;
  if (asked === 'none') return { type: 'off' };
  return readThinking(request.thinking, readEffort(asked, 'reasoning_effort'));
}
