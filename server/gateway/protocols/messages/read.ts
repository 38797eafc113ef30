import { arrangeTurns } from '../arrange-turns';
import { countCharacters } from '../count-characters';
import type {
  Json,
  Message,
  OutputFormat,
  Prompt,
  Reasoning,
  TextPart,
  ToolChoice,
  ToolDefinition,
} from '../neutral';
import { asObject, asText, isObject, refuse } from '../read-fields';
import {
  noteDropped,
  readEffort,
  readThinking,
  refuseDuplicates,
  refuseLongArguments,
  refuseType,
  requireName,
  toToolSchema,
} from '../read-options';
import { readBlocks, readCacheBreakpoint } from './read-blocks';
import type { MessagesRequest } from './schema';
import { isSearchTool, readSearchTool } from './search-tool';

/**
 * Claude Code sends a line that names the payer and differs per request. It would defeat the caches of other
 * providers.
 */
const ATTRIBUTION = 'x-anthropic-billing-header';

/** Fields that are translated, those that need no translation, and those whose only value changes nothing. */
const TRANSLATED = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'cache_control',
  'speed',
  'inference_geo',
  'mcp_servers',
  'fallbacks',
]);

/** Reads a messages request for a provider of another format. Adds a warning for each dropped field. */
export function readMessagesPrompt(request: MessagesRequest, warnings: string[]): Prompt {
  const offered = request.tools ?? [];
  const tools = offered.flatMap((tool, index) => (isSearchTool(tool) ? [] : [readTool(tool, index)]));
  refuseDuplicates(tools);
  const wire = request.messages.map(
    ({ role, content }, index): Message => ({
      role,
      parts: readBlocks(content, `messages.${index}.content`, warnings),
    }),
  );
  refuseLongArguments(countArguments(wire));
  const messages = arrangeTurns(wire, { merge: false });
  if (messages.every(({ role }) => role === 'system'))
    throw refuse('messages', 'needs at least one user message');
  const choice = asObject(request.tool_choice);
  noteDropped(request, (field) => TRANSLATED.has(field), warnings);
  return {
    system: readSystem(request.system, warnings),
    messages,
    tools,
    search: readSearchTool(offered),
    toolChoice: readToolChoice(request.tool_choice, offered),
    parallelTools: choice.disable_parallel_tool_use !== true,
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    stop: request.stop_sequences ?? [],
    outputFormat: readOutputFormat(asObject(request.output_config).format ?? request.output_format),
    reasoning: readReasoning(request),
    stream: request.stream === true,
  };
}

/** Other formats send arguments as JSON inside JSON, which is written at once. */
function countArguments(messages: readonly Message[]): number {
  let characters = 0;
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-call') characters += countCharacters(part.input);
  }
  return characters;
}

function readSystem(system: unknown, warnings: string[]): TextPart[] {
  return readBlocks(system ?? [], 'system', warnings).flatMap((part) => {
    if (part.type !== 'text') throw refuse('system', 'must be text only');
    return part.text.startsWith(ATTRIBUTION) ? [] : [part];
  });
}

function readTool(tool: Json, index: number): ToolDefinition {
  const param = `tools.${index}`;
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom')
    throw refuseType('tools', tool.type, param);
  return {
    name: requireName(tool.name, `${param}.name`),
    description: asText(tool.description) || null,
    schema: toToolSchema(tool.input_schema, `${param}.input_schema`),
    strict: tool.strict === true,
    ...readCacheBreakpoint(tool),
  };
}

function readToolChoice(choice: Json | null | undefined, tools: readonly Json[]): ToolChoice | null {
  if (choice == null) return null;
  switch (choice.type) {
    case 'auto':
    case 'any':
    case 'none':
      return { type: choice.type };
    case 'tool': {
      const name = requireName(choice.name, 'tool_choice.name');
      if (tools.some((tool) => isSearchTool(tool) && tool.name === name)) return { type: 'search' };
      return { type: 'tool', name };
    }
    default:
      throw refuse('tool_choice.type', 'must be one of auto, any, tool, none');
  }
}

function readOutputFormat(format: unknown): OutputFormat | null {
  if (!isObject(format)) return null;
  if (format.type !== 'json_schema' || !isObject(format.schema)) {
    throw refuse('output_config.format', 'must be a json_schema with its schema');
  }
  return { type: 'json-schema', name: 'response', schema: format.schema, strict: true };
}

function readReasoning(request: MessagesRequest): Reasoning | null {
  const effort = readEffort(asObject(request.output_config).effort, 'output_config.effort');
  const reasoning = readThinking(request.thinking, effort);
  if (reasoning?.type === 'budget' && reasoning.tokens >= request.max_tokens) {
    throw refuse('thinking.budget_tokens', 'must be less than max_tokens');
  }
  return reasoning;
}
