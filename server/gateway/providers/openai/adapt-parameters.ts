import { readReasoning } from '../../protocols/chat/read';
import type { ChatRequest } from '../../protocols/chat/schema';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, isObject } from '../../protocols/read-fields';
import { fitEffort, isEffortName } from '../effort';
import type { RequestTarget } from '../request-target';
import type { ChatCapabilities } from './chat-capabilities';
import { takesThinking } from './request-fields';

/** Values of sampling parameters that have no effect, so that nobody misses them. */
const IDLE_SAMPLING: Record<string, (value: unknown) => boolean> = {
  temperature: (value) => value === 1,
  top_p: (value) => value === 1,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  logit_bias: (value) => Object.keys(asObject(value)).length === 0,
};

/**
 * The parameters of a request that differ for this model: what it would reject is changed or dropped, with a
 * warning, as in requests that are translated. Routers and servers such as vLLM do that themselves.
 */
export function adaptParameters(
  request: ChatRequest,
  target: RequestTarget,
  capabilities: ChatCapabilities,
): Json {
  const fields = forceEffort(request, target, capabilities);
  const { profile, warnings } = target;
  if (profile.takesRouterFields) {
    if (request.thinking == null) return fields;
    warnings.push('thinking was dropped');
    return Object.assign(fields, { thinking: undefined });
  }
  if (!('reasoning_effort' in fields)) adaptReasoning(request, target, capabilities, fields);
  adaptSampling(request, target, capabilities, fields);
  adaptTools(request, target, fields);
  return fields;
}

const hasTools = ({ tools, functions }: ChatRequest): boolean =>
  (tools ?? []).length > 0 || asArray(functions).length > 0;

function forceEffort(
  request: ChatRequest,
  { warnings }: RequestTarget,
  { toolsWithoutReasoning }: ChatCapabilities,
): Json {
  if (!toolsWithoutReasoning || !hasTools(request)) return {};
  if (request.reasoning_effort !== 'none')
    warnings.push('reasoning_effort was set to none: this model accepts tools only without reasoning');
  return { reasoning_effort: 'none', reasoning: undefined, thinking: undefined };
}

/** OpenAI's effort, OpenRouter's `reasoning` or Anthropic's `thinking`: as far as the model supports it. */
function adaptReasoning(
  request: ChatRequest,
  { profile, warnings }: RequestTarget,
  { efforts }: ChatCapabilities,
  fields: Json,
): void {
  const { reasoning_effort: given, reasoning, thinking } = request;
  if (isObject(reasoning)) fields.reasoning = undefined;
  const keepsThinking = takesThinking(profile.name);
  if (thinking != null && !keepsThinking) fields.thinking = undefined;
  // What only the provider knows is passed on: its new efforts, and those of a model without an entry of its own.
  const isUnknown = efforts !== null && efforts === profile.efforts;
  if (given != null && (isUnknown || !isEffortName(given))) return;
  const hasOther = isObject(reasoning) || (thinking != null && !keepsThinking);
  if (given == null && !hasOther) return;
  const effort = fitEffort(readReasoning(request), efforts, warnings);
  if (effort !== given) fields.reasoning_effort = effort ?? undefined;
}

function adaptSampling(
  request: ChatRequest,
  { profile, warnings }: RequestTarget,
  { sampling, stop }: ChatCapabilities,
  fields: Json,
): void {
  const drop = (name: string, isIdle: boolean): void => {
    fields[name] = undefined;
    if (!isIdle) warnings.push(`${name} was dropped`);
  };
  const effort = 'reasoning_effort' in fields ? fields.reasoning_effort : request.reasoning_effort;
  if (sampling === 'no' || (sampling === 'without-reasoning' && effort !== 'none')) {
    for (const [name, isIdle] of Object.entries(IDLE_SAMPLING)) {
      const value = request[name];
      if (value != null) drop(name, isIdle(value));
    }
  }
  if (request.top_k != null && !profile.takesTopK) drop('top_k', false);
  if (request.stop != null && !stop) drop('stop', request.stop.length === 0);
}

/** Without tools, some providers reject an empty list and every parameter about tools. */
function adaptTools(request: ChatRequest, { profile, warnings }: RequestTarget, fields: Json): void {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel, functions } = request;
  if (tools?.length === 0) fields.tools = undefined;
  if (Array.isArray(functions) && functions.length === 0) fields.functions = undefined;
  const isOffered = hasTools(request);
  if (choice != null && !isOffered) {
    fields.tool_choice = undefined;
    if (choice !== 'auto' && choice !== 'none') warnings.push('tool_choice was dropped: there are no tools');
  }
  if (parallel == null || (isOffered && profile.takesParallelToolCalls)) return;
  fields.parallel_tool_calls = undefined;
  if (isOffered && parallel === false) warnings.push('parallel_tool_calls was dropped');
}
