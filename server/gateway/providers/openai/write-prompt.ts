import type { Json, OutputFormat, Part, Prompt, ToolDefinition } from '../../protocols/neutral';
import { asArray, asObject, isObject, refuse } from '../../protocols/read-fields';
import type { ToolNames } from '../../protocols/tool-ids';
import { fitEffort } from '../effort';
import { cannotForceTool } from '../forced-call';
import { writeSchemaInstruction } from '../json-instruction';
import type { EffortName } from '../profiles';
import type { RequestTarget } from '../request-target';
import { walkSchema } from '../walk-schema';
import { CACHE_BREAKPOINT } from './cache-breakpoints';
import { type ChatCapabilities, chatCapabilities } from './chat-capabilities';
import { writeOwnFields } from './request';
import { hasRouterSearch, writeRouterSearch } from './router-search';
import { writeMessages } from './write-messages';

type Context = RequestTarget & { capabilities: ChatCapabilities; names: ToolNames };

/** A prompt of another format as a chat request. */
export function writeChatPrompt(
  prompt: Prompt,
  target: RequestTarget,
  names: ToolNames,
  capabilities = chatCapabilities(target.profile, target.upstreamModel, target),
): Json {
  if (capabilities.onlyResponses) throw refuse('model', 'is not available in this format');
  const context: Context = { capabilities, names, ...target };
  const effort = writeEffort(prompt, context);
  return {
    model: target.upstreamModel,
    messages: [...writeMessages(prompt, context), ...writeJsonInstruction(prompt.outputFormat, context)],
    [capabilities.limitName]: target.outputCap,
    ...(effort !== null && { reasoning_effort: effort }),
    ...writeSampling(prompt, effort, context),
    ...writeStop(prompt.stop, context),
    ...writeTools(prompt, context),
    ...writeOutputFormat(prompt.outputFormat, target),
    ...(prompt.stream && { stream: true }),
    ...writeOwnFields(target, {
      stream: prompt.stream,
      options: target.profile.name === 'openai' ? { include_obfuscation: false } : {},
      hasFiles: prompt.messages.some(({ parts }) => parts.some(holdsDocument)),
    }),
  };
}

const holdsDocument = (part: Part): boolean =>
  part.type === 'document' || (part.type === 'tool-result' && part.content.some(holdsDocument));

function writeSampling(
  prompt: Prompt,
  effort: EffortName | null,
  { capabilities, profile, warnings }: Context,
): Json {
  const { sampling } = capabilities;
  const isTaken = sampling === 'yes' || (sampling === 'without-reasoning' && effort === 'none');
  const requested = { temperature: prompt.temperature, top_p: prompt.topP };
  const fields: Json = {};
  for (const [name, value] of Object.entries(requested)) {
    if (value === null) continue;
    if (isTaken) fields[name] = value;
    else warnings.push(`${name} was dropped`);
  }
  if (prompt.topK === null) return fields;
  if (profile.takesTopK) return { ...fields, top_k: prompt.topK };
  warnings.push('top_k was dropped');
  return fields;
}

function writeStop(stop: readonly string[], { capabilities, profile, warnings }: Context): Json {
  if (stop.length === 0) return {};
  if (!capabilities.stop) {
    warnings.push('{stop} was dropped');
    return {};
  }
  if (stop.length > profile.maxStopSequences) {
    throw refuse('stop_sequences', `this model accepts at most ${profile.maxStopSequences}`);
  }
  return { stop };
}

function writeTools(prompt: Prompt, context: Context): Json {
  const search =
    prompt.search !== null && hasRouterSearch(context.profile)
      ? writeRouterSearch(prompt.search, context)
      : null;
  if (prompt.tools.length === 0 && search === null) return {};
  const oneAtATime = !prompt.parallelTools && context.profile.takesParallelToolCalls;
  return {
    tools: [
      ...prompt.tools.map((tool) => writeTool(tool, context)),
      ...(search === null ? [] : [search.tool]),
    ],
    ...writeToolChoice(prompt, context),
    ...(oneAtATime && { parallel_tool_calls: false }),
    ...search?.limit,
  };
}

function writeTool(tool: ToolDefinition, { names, profile, capabilities, warnings }: Context): Json {
  const { $schema: _, ...plain } = tool.schema;
  return {
    type: 'function',
    function: {
      name: names.toProvider(tool.name),
      ...(tool.description !== null && { description: tool.description }),
      parameters: profile.strictSchemas ? plain : tool.schema,
      ...(tool.strict && fitStrict(tool.schema, warnings) && { strict: true }),
    },
    ...(capabilities.cacheBreakpoints && tool.cache !== undefined && CACHE_BREAKPOINT),
  };
}

function writeToolChoice({ toolChoice }: Prompt, { names, profile, capabilities, warnings }: Context): Json {
  if (toolChoice === null) return {};
  const isForced = toolChoice.type === 'any' || toolChoice.type === 'tool';
  if (isForced && !capabilities.forcedTool) throw cannotForceTool();
  if (toolChoice.type === 'search') {
    // The responses format writes its own choice: see its `write-prompt.ts`.
    if (hasRouterSearch(profile))
      warnings.push('tool_choice was lowered to auto: this model cannot be forced to search');
    return {};
  }
  if (toolChoice.type === 'any') return { tool_choice: 'required' };
  if (toolChoice.type !== 'tool') return { tool_choice: toolChoice.type };
  return { tool_choice: { type: 'function', function: { name: names.toProvider(toolChoice.name) } } };
}

function writeOutputFormat(format: OutputFormat | null, { profile, warnings }: RequestTarget): Json {
  if (format === null) return {};
  if (format.type === 'json-object' || !profile.takesJsonSchema)
    return { response_format: { type: 'json_object' } };
  const { name, schema } = format;
  const strict = format.strict && fitStrict(schema, warnings);
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict } } };
}

/** Strict mode accepts only closed objects without optional properties. Others are sent without it. */
function fitStrict(schema: Json, warnings: string[]): boolean {
  let fits = true;
  walkSchema(schema, ({ type, properties, required, additionalProperties }) => {
    if (type !== 'object' && !isObject(properties)) return;
    const names = new Set(asArray(required));
    fits &&=
      additionalProperties === false && Object.keys(asObject(properties)).every((name) => names.has(name));
  });
  if (!fits)
    warnings.push('strict was dropped: this model enforces closed objects without optional properties');
  return fits;
}

/** Writes the schema as an instruction where it cannot be enforced. */
function writeJsonInstruction(format: OutputFormat | null, { profile, warnings }: Context): Json[] {
  if (format?.type !== 'json-schema' || profile.takesJsonSchema) return [];
  const content = writeSchemaInstruction(format.schema, 'output_config.format.schema');
  warnings.push('{format} was lowered to an instruction');
  return [{ role: 'user', content }];
}

function writeEffort(prompt: Prompt, { capabilities, warnings }: Context): EffortName | null {
  const { efforts, toolsWithoutReasoning } = capabilities;
  if (toolsWithoutReasoning && prompt.tools.length > 0) {
    if (prompt.reasoning !== null && prompt.reasoning.type !== 'off')
      warnings.push('{reasoning} was turned off: this model accepts tools only without reasoning');
    return 'none';
  }
  return fitEffort(prompt.reasoning, efforts, warnings);
}
