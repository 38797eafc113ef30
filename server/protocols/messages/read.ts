import { arrangeTurns } from '../arrange-turns';
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
import { asNumber, asObject, asText, isObject, refuse } from '../read-fields';
import { readEffort, readThinking, refuseDuplicates, requireToolName, toToolSchema } from '../read-options';
import { readBlocks, readCacheMark } from './read-blocks';
import type { MessagesRequest } from './schema';

/** Claude Code tells who pays in a line that differs per request: it would defeat other providers' caches. */
const ATTRIBUTION = 'x-anthropic-billing-header';

/** Reads a messages request for a provider of another format. What is dropped is told in `warnings`. */
export function readMessagesPrompt(request: MessagesRequest, warnings: string[]): Prompt {
  const tools = (request.tools ?? []).map(readTool);
  refuseDuplicates(tools);
  const wire = request.messages.map(
    ({ role, content }, index): Message => ({
      role,
      parts: readBlocks(content, `messages.${index}.content`, warnings),
    }),
  );
  const messages = arrangeTurns(wire, { merge: false });
  if (messages.every(({ role }) => role === 'system'))
    throw refuse('messages', 'needs at least one user message');
  const choice = asObject(request.tool_choice);
  for (const field of ['context_management', 'diagnostics']) {
    if (request[field] != null) warnings.push(`${field} was dropped`);
  }
  return {
    system: readSystem(request.system, warnings),
    messages,
    tools,
    toolChoice: readToolChoice(choice),
    parallelTools: choice.disable_parallel_tool_use !== true,
    temperature: asNumber(request.temperature),
    topP: asNumber(request.top_p),
    topK: asNumber(request.top_k),
    stop: request.stop_sequences ?? [],
    outputFormat: readOutputFormat(asObject(request.output_config).format ?? request.output_format),
    reasoning: readReasoning(request),
    stream: request.stream === true,
  };
}

function readSystem(system: unknown, warnings: string[]): TextPart[] {
  return readBlocks(system ?? [], 'system', warnings).flatMap((part) => {
    if (part.type !== 'text') throw refuse('system', 'takes text only');
    return part.text.startsWith(ATTRIBUTION) ? [] : [part];
  });
}

function readTool(tool: Json, index: number): ToolDefinition {
  const param = `tools.${index}`;
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom') {
    throw refuse(
      `${param}.type`,
      `tools of type ${asText(tool.type).slice(0, 40)} are not supported by this model`,
    );
  }
  return {
    name: requireToolName(tool.name, `${param}.name`),
    description: asText(tool.description) || null,
    schema: toToolSchema(tool.input_schema),
    strict: tool.strict === true,
    ...readCacheMark(tool),
  };
}

function readToolChoice(choice: Json): ToolChoice | null {
  switch (choice.type) {
    case undefined:
      return null;
    case 'auto':
    case 'any':
    case 'none':
      return { type: choice.type };
    case 'tool':
      return { type: 'tool', name: requireToolName(choice.name, 'tool_choice.name') };
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
