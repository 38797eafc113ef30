import type {
  Json,
  Message,
  OutputFormat,
  Prompt,
  TextPart,
  ToolChoice,
  ToolDefinition,
} from '../../protocols/neutral';
import { asArray, isObject, refuse } from '../../protocols/read-fields';
import type { ToolNames } from '../../protocols/tool-ids';
import { cannotForceTool, type ForcedCall, planForcedCall } from '../forced-call';
import { writeSchemaInstruction } from '../json-instruction';
import type { RequestTarget } from '../request-target';
import type { WrittenPrompt } from '../wire-format';
import { type ClaudeCapabilities, claudeCapabilities } from './claude-capabilities';
import { cleanSchema, isCompilable } from './json-schema';
import { writeOwnFields } from './request';
import { type Thinking, writeThinking } from './write-thinking';
import { writeCacheBreakpoint, writeContent, writeTurns } from './write-turns';

const JSON_TOOL = 'json_response';
const SEARCH_TOOL = 'web_search';
const JSON_INSTRUCTION = 'Answer with a single valid JSON object and nothing else.';
const MAX_CACHE_BREAKPOINTS = 4;

type Context = RequestTarget & { capabilities: ClaudeCapabilities; names: ToolNames };
type Output = { format: Json | null; tool: ToolDefinition | null; instruction: TextPart[] };

/** A prompt of another format as a messages request. */
export function writeMessagesPrompt(prompt: Prompt, target: RequestTarget, names: ToolNames): WrittenPrompt {
  const capabilities = claudeCapabilities(target.upstreamModel);
  const { warnings } = target;
  const context: Context = { capabilities, names, ...target };
  const forcedCall = forceCall(prompt, context);
  const output =
    forcedCall === null ? writeOutput(prompt.outputFormat, context) : writeForcedOutput(forcedCall);
  const choice = fitChoice(chooseTool(prompt, output, forcedCall), prompt, context);
  const { thinking, toolChoice } = settleChoice(writeThinking(prompt, capabilities, target), choice, context);
  const callable = output.tool === null ? prompt.tools : [...prompt.tools, output.tool];
  const tools = [...writeSearchTool(prompt, context), ...callable.map((tool) => writeTool(tool, context))];
  const config = {
    ...(thinking.effort !== null && { effort: thinking.effort }),
    ...(output.format !== null && { format: output.format }),
  };
  const system = [...prompt.system, ...output.instruction];
  const keepsThoughts = !target.withoutReasoning && (capabilities.thinking === 'adaptive' || thinking.isOn);
  if (!keepsThoughts && prompt.messages.some(hasThoughts)) target.isShortened = true;
  const body: Json = {
    model: target.upstreamModel,
    max_tokens: target.outputCap,
    ...(system.length > 0 && { system: system.map(writeContent) }),
    messages: writeTurns(prompt.messages, { capabilities, names, keepsThoughts, warnings }),
    ...(tools.length > 0 && { tools }),
    ...writeToolChoice(
      toolChoice,
      { parallel: prompt.parallelTools && output.tool === null, hasTools: tools.length > 0 },
      names,
    ),
    ...(thinking.thinking !== null && { thinking: thinking.thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...writeSampling(prompt, thinking, context),
    ...writeStop(prompt.stop),
    ...(prompt.stream && { stream: true }),
    ...writeOwnFields(target),
  };
  limitCacheBreakpoints(body);
  return { body, jsonTool: output.tool?.name ?? null, forcedCall };
}

const hasThoughts = ({ parts }: Message): boolean =>
  parts.some(({ type }) => type === 'reasoning' || type === 'redacted-reasoning');

/** Null where the choice can be sent as it is. */
function forceCall(
  { tools, toolChoice, outputFormat }: Prompt,
  { capabilities, names }: Context,
): ForcedCall | null {
  const isForced = toolChoice?.type === 'any' || toolChoice?.type === 'tool';
  if (!isForced || capabilities.forcedTool || tools.length === 0) return null;
  const callable = toolChoice.type === 'any' ? tools : tools.filter(({ name }) => name === toolChoice.name);
  const forced = callable.length === 0 ? null : planForcedCall(callable, names.toProvider);
  if (forced === null || outputFormat?.type === 'json-schema' || !isCompilable(forced.schema))
    throw cannotForceTool();
  return forced;
}

/** The tools stay in the request, because earlier turns may contain their calls. */
function chooseTool(prompt: Prompt, output: Output, forcedCall: ForcedCall | null): ToolChoice | null {
  if (forcedCall !== null) return { type: 'none' };
  return output.tool === null ? prompt.toolChoice : jsonToolChoice(prompt);
}

/** A model that cannot be forced to search decides itself. Where it may call a tool instead, that is forced. */
function fitChoice(
  choice: ToolChoice | null,
  { tools }: Prompt,
  { capabilities, warnings }: Context,
): ToolChoice | null {
  const forcesSearch = choice?.type === 'search' || (choice?.type === 'any' && tools.length === 0);
  if (!forcesSearch || capabilities.forcedTool) return choice;
  warnings.push('tool_choice was lowered to auto: this model cannot be forced to search');
  return { type: 'auto' };
}

const writeForcedOutput = ({ schema, instruction }: ForcedCall): Output => ({
  format: { type: 'json_schema', schema: cleanSchema(schema) },
  tool: null,
  instruction: [{ type: 'text', text: instruction }],
});

function writeOutput(format: OutputFormat | null, { capabilities, warnings }: Context): Output {
  if (format === null) return { format: null, tool: null, instruction: [] };
  if (format.type === 'json-object') {
    warnings.push('{format} was lowered to an instruction');
    return { format: null, tool: null, instruction: [{ type: 'text', text: JSON_INSTRUCTION }] };
  }
  const { schema } = format;
  if (capabilities.nativeJson && isCompilable(schema)) {
    return { format: { type: 'json_schema', schema: cleanSchema(schema) }, tool: null, instruction: [] };
  }
  if (!capabilities.forcedTool) {
    warnings.push('{format} was lowered to an instruction');
    return {
      format: null,
      tool: null,
      instruction: [{ type: 'text', text: writeSchemaInstruction(schema) }],
    };
  }
  const description = 'Gives the answer to the user. Call it exactly once.';
  return {
    format: null,
    tool: { name: JSON_TOOL, description, schema: { ...schema, type: 'object' }, strict: false },
    instruction: [],
  };
}

/** The client's own tools stay usable next to the one for JSON output. */
function jsonToolChoice(prompt: Prompt): ToolChoice {
  return prompt.tools.length > 0 && prompt.toolChoice?.type !== 'none'
    ? { type: 'any' }
    : { type: 'tool', name: JSON_TOOL };
}

/**
 * Most models do not accept a forced call together with thinking, so thinking is turned off where possible.
 */
function settleChoice(
  thinking: Thinking,
  choice: ToolChoice | null,
  { capabilities, warnings }: Context,
): { thinking: Thinking; toolChoice: ToolChoice | null } {
  const isForced = choice !== null && choice.type !== 'auto' && choice.type !== 'none';
  if (!isForced) return { thinking, toolChoice: choice };
  if (!thinking.isOn || capabilities.off !== 'disabled') return { thinking, toolChoice: choice };
  warnings.push('{reasoning} was turned off: this model does not accept a forced tool with thinking');
  const off = capabilities.thinking === 'budget' ? null : { type: 'disabled' };
  return { thinking: { thinking: off, effort: null, isOn: false }, toolChoice: choice };
}

/** In the version whose results no code filters. */
function writeSearchTool({ search, tools }: Prompt, { searches, names, warnings }: Context): Json[] {
  if (search === null) return [];
  if (tools.some(({ name }) => names.toProvider(name) === SEARCH_TOOL))
    throw refuse('tools', `this model searches the web with a tool named ${SEARCH_TOOL}: rename yours`);
  const { allowedDomains, blockedDomains, location, contextSize, maxResults } = search;
  if (allowedDomains.length > 0 && blockedDomains.length > 0)
    throw refuse(search.place, 'this model accepts either allowed or blocked domains, not both');
  if (contextSize !== null && contextSize !== 'medium')
    warnings.push('{search}.search_context_size was dropped');
  if (maxResults !== null) warnings.push('{search}.max_results was dropped');
  const tool = {
    type: 'web_search_20250305',
    name: SEARCH_TOOL,
    max_uses: searches,
    ...(allowedDomains.length > 0 && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { blocked_domains: blockedDomains }),
    ...(location !== null && { user_location: { type: 'approximate', ...location } }),
    ...writeCacheBreakpoint(search),
  };
  return [tool];
}

function writeTool(tool: ToolDefinition, { names, capabilities, warnings }: Context): Json {
  if (tool.strict && !capabilities.strictTools) warnings.push('strict was dropped');
  return {
    name: names.toProvider(tool.name),
    ...(tool.description !== null && { description: tool.description }),
    input_schema: tool.schema,
    ...(tool.strict && capabilities.strictTools && { strict: true }),
    ...writeCacheBreakpoint(tool),
  };
}

type CallOptions = { parallel: boolean; hasTools: boolean };

function writeToolChoice(
  choice: ToolChoice | null,
  { parallel, hasTools }: CallOptions,
  names: ToolNames,
): Json {
  if (!hasTools || (choice === null && parallel)) return {};
  const { type } = choice ?? { type: 'auto' };
  const oneAtATime = !parallel && type !== 'none' ? { disable_parallel_tool_use: true } : {};
  if (choice?.type === 'search') return { tool_choice: { type: 'tool', name: SEARCH_TOOL, ...oneAtATime } };
  const name = choice?.type === 'tool' ? { name: names.toProvider(choice.name) } : {};
  return { tool_choice: { type, ...name, ...oneAtATime } };
}

function writeSampling(prompt: Prompt, { isOn }: Thinking, { capabilities, warnings }: Context): Json {
  const isTaken = capabilities.sampling && !isOn;
  const { temperature, topP, topK } = prompt;
  const drop = (name: string, value: number | null): void => {
    if (value !== null) warnings.push(`${name} was dropped`);
  };
  if (!isTaken) {
    drop('temperature', temperature);
    drop('top_p', topP);
    drop('top_k', topK);
    return {};
  }
  if (temperature !== null) drop('top_p', topP);
  if (temperature !== null && temperature > 1) warnings.push('temperature was lowered to 1');
  return {
    ...(temperature !== null && { temperature: Math.min(1, Math.max(0, temperature)) }),
    ...(temperature === null && topP !== null && { top_p: topP }),
    ...(topK !== null && { top_k: topK }),
  };
}

/** Blank sequences are rejected. */
function writeStop(stop: readonly string[]): Json {
  const sequences = stop.filter((text) => text.trim() !== '');
  return sequences.length === 0 ? {} : { stop_sequences: sequences };
}

/** Only four breakpoints are accepted; the last ones cover the most. */
function limitCacheBreakpoints(body: Json): void {
  const marked: Json[] = [];
  const collect = (value: unknown): void => {
    if (!isObject(value)) return;
    for (const inner of asArray(value.content)) collect(inner);
    if (value.cache_control !== undefined) marked.push(value);
  };
  for (const part of [...asArray(body.tools), ...asArray(body.system), ...asArray(body.messages)])
    collect(part);
  for (const extra of marked.slice(0, -MAX_CACHE_BREAKPOINTS)) extra.cache_control = undefined;
}
