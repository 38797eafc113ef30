import type { Json, OutputFormat, Prompt, Reasoning, ToolDefinition } from '../../protocols/neutral';
import { refuse } from '../../protocols/read-fields';
import type { ToolNames } from '../../protocols/tool-ids';
import { effortOfBudget } from '../effort';
import { type ChatCapabilities, chatCapabilities } from '../model-capabilities';
import type { EffortName, ProviderProfile } from '../profiles';
import type { RequestTarget } from '../request-target';
import { writeOwnFields } from './request';
import { writeMessages } from './write-messages';

type Context = RequestTarget & { capabilities: ChatCapabilities; names: ToolNames };

/** A prompt of another format as a chat request. */
export function writeChatPrompt(prompt: Prompt, target: RequestTarget, names: ToolNames): Json {
  const capabilities = chatCapabilities(target.profile, target.upstreamModel, target);
  if (capabilities.onlyResponses) throw refuse('model', 'is not served in this format');
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
    ...writeOutputFormat(prompt.outputFormat, target.profile),
    ...(prompt.stream && { stream: true }),
    ...writeOwnFields(target, {
      stream: prompt.stream,
      options: target.profile.name === 'openai' ? { include_obfuscation: false } : {},
    }),
  };
}

function writeSampling(
  prompt: Prompt,
  effort: EffortName | null,
  { capabilities, profile, warnings }: Context,
): Json {
  const { sampling } = capabilities;
  const isTaken = sampling === 'yes' || (sampling === 'without-reasoning' && effort === 'none');
  const asked = { temperature: prompt.temperature, top_p: prompt.topP };
  const fields: Json = {};
  for (const [name, value] of Object.entries(asked)) {
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
    warnings.push('stop_sequences was dropped');
    return {};
  }
  if (stop.length > profile.maxStopSequences) {
    throw refuse('stop_sequences', `this model takes at most ${profile.maxStopSequences}`);
  }
  return { stop };
}

function writeTools(prompt: Prompt, context: Context): Json {
  if (prompt.tools.length === 0) return {};
  const oneAtATime = !prompt.parallelTools && context.profile.takesParallelToolCalls;
  return {
    tools: prompt.tools.map((tool) => writeTool(tool, context)),
    ...writeToolChoice(prompt, context),
    ...(oneAtATime && { parallel_tool_calls: false }),
  };
}

function writeTool(tool: ToolDefinition, { names, profile, capabilities }: Context): Json {
  const { $schema: _, ...plain } = tool.schema;
  return {
    type: 'function',
    function: {
      name: names.toProvider(tool.name),
      ...(tool.description !== null && { description: tool.description }),
      parameters: profile.strictSchemas ? plain : tool.schema,
      ...(tool.strict && { strict: true }),
    },
    ...(capabilities.cacheBreakpoints &&
      tool.cache !== undefined && { prompt_cache_breakpoint: { mode: 'explicit' } }),
  };
}

function writeToolChoice({ toolChoice }: Prompt, { names, capabilities, warnings }: Context): Json {
  if (toolChoice === null) return {};
  const isForced = toolChoice.type === 'any' || toolChoice.type === 'tool';
  if (isForced && !capabilities.forcedTool) {
    warnings.push('tool_choice was lowered to auto');
    return {};
  }
  if (toolChoice.type === 'any') return { tool_choice: 'required' };
  if (toolChoice.type !== 'tool') return { tool_choice: toolChoice.type };
  return { tool_choice: { type: 'function', function: { name: names.toProvider(toolChoice.name) } } };
}

function writeOutputFormat(format: OutputFormat | null, { takesJsonSchema }: ProviderProfile): Json {
  if (format === null) return {};
  if (format.type === 'json-object' || !takesJsonSchema) return { response_format: { type: 'json_object' } };
  const { name, schema, strict } = format;
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict } } };
}

/** Where a schema cannot be enforced the model is at least told of it. */
function writeJsonInstruction(format: OutputFormat | null, { profile, warnings }: Context): Json[] {
  if (format?.type !== 'json-schema' || profile.takesJsonSchema) return [];
  warnings.push('output_config.format was lowered to an instruction');
  return [
    { role: 'user', content: `Answer with JSON only, by this schema:\n${JSON.stringify(format.schema)}` },
  ];
}

/** Efforts from the least to the most. */
const LADDER: readonly EffortName[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function writeEffort(prompt: Prompt, { capabilities, warnings }: Context): EffortName | null {
  const { efforts, toolsWithoutReasoning } = capabilities;
  if (toolsWithoutReasoning && prompt.tools.length > 0) {
    if (prompt.reasoning !== null && prompt.reasoning.type !== 'off')
      warnings.push('thinking was turned off: this model takes tools only so');
    return 'none';
  }
  const asked = prompt.reasoning === null ? null : effortOf(prompt.reasoning);
  if (asked === null) return null;
  if (efforts === null) {
    if (asked !== 'none') warnings.push('thinking was dropped');
    return null;
  }
  const taken = nearestEffort(asked, efforts);
  if (taken !== asked) warnings.push(`the reasoning effort was changed to ${taken}`);
  return taken;
}

/** Null leaves the effort to the model. */
function effortOf(reasoning: Reasoning): EffortName | null {
  switch (reasoning.type) {
    case 'off':
      return 'none';
    case 'effort':
    case 'adaptive':
      return reasoning.effort;
    case 'budget':
      return effortOfBudget(reasoning.tokens);
  }
}

/** The strongest effort that is taken and not above the asked one; else the weakest that is taken. */
function nearestEffort(asked: EffortName, efforts: readonly EffortName[]): EffortName {
  const taken = LADDER.filter((effort) => efforts.includes(effort));
  const below = taken.filter(
    (effort) => LADDER.indexOf(effort) <= LADDER.indexOf(asked) && (effort !== 'none' || asked === 'none'),
  );
  return below.at(-1) ?? taken.find((effort) => asked === 'none' || effort !== 'none') ?? asked;
}
