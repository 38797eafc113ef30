import { argumentsOf } from '../../protocols/chat/read-messages';
import { refuseUnpricedChat } from '../../protocols/chat/refuse-unpriced';
import type { ChatRequest } from '../../protocols/chat/schema';
import { readSearchOptions, withoutSearch } from '../../protocols/chat/search-options';
import { keepKnownFields } from '../../protocols/known-fields';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, isObject, leaveOut, refuse } from '../../protocols/read-fields';
import { noteUnparsed, repairArguments, scanArguments } from '../../protocols/tool-arguments';
import { cleanIdentifier, MAX_CHAT_ID, toNineAlphanumeric } from '../../protocols/tool-ids';
import { cannotForceTool } from '../forced-call';
import type { MaxPrice, RequestTarget } from '../request-target';
import { adaptParameters } from './adapt-parameters';
import { repairBreakpoint, repairBreakpoints } from './cache-breakpoints';
import { type ChatCapabilities, chatCapabilities } from './chat-capabilities';
import { chatRequestFields } from './request-fields';
import { writeRouterSearch } from './router-search';
import { moveToolMedia } from './tool-media';

/**
 * Fields that we set ourselves, or that access the account behind the key. Rejected tokens of a prediction
 * are billed as output beyond every limit, and do not change the response.
 */
const OWN_FIELDS = new Set([
  'max_tokens',
  'max_completion_tokens',
  'service_tier',
  'user',
  'safety_identifier',
  'store',
  'metadata',
  'prediction',
  'usage',
]);
const THOUGHT_FIELDS = new Set(['reasoning_content', 'reasoning_details', 'reasoning', 'thinking_blocks']);

/**
 * Prepares a chat request for a provider of the same format: its known fields, unchanged except for the model
 * name, the output cap, usage in streams (always requested, because we bill by it), the service tier, the id of
 * the end user, and what this model does not accept.
 */
export function repairChatRequest(request: ChatRequest, target: RequestTarget): Json {
  const { profile, upstreamModel, outputCap, searches, warnings } = target;
  const capabilities = chatCapabilities(profile, upstreamModel, target);
  if (capabilities.onlyResponses) throw refuse('model', 'is not available in this format');
  refuseUnpricedChat(request, profile.deniedFields, searches, profile.countsAudio);
  if (!capabilities.forcedTool) refuseForcedTool(request);
  if (request.store === true) warnings.push('store was dropped');
  if (request.prediction != null) warnings.push('prediction was dropped');
  const search = writeSearch(request, target);
  const known = keepKnownFields(withoutSearch(request), chatRequestFields(profile.name), warnings);
  const { messages, tools, stream_options: options } = known;
  const file = messages.findIndex(holdsFile);
  if (file !== -1 && !profile.takesPdf)
    throw refuse(`messages.${file}.content`, 'this model does not accept PDF documents');
  const body = leaveOut(known, OWN_FIELDS);
  body.model = upstreamModel;
  body.messages = repairMessages(messages, target, capabilities);
  if (tools != null || search !== null) {
    const own = (tools ?? []).map((tool) => repairBreakpoint(tool, target, capabilities));
    body.tools = search === null ? own : [...own, search.tool];
  }
  body[limitName(request, target, capabilities.limitName)] = outputCap;
  return Object.assign(
    body,
    adaptParameters(known, target, capabilities),
    search?.limit,
    writeOwnFields(target, { stream: request.stream === true, options, hasFiles: file !== -1 }),
  );
}

/** Each choice of several would search, up to the limit of all. */
function writeSearch(request: ChatRequest, target: RequestTarget) {
  const search = readSearchOptions(request, target.warnings);
  if (search === null) return null;
  if ((request.n ?? 1) > 1) throw refuse('n', 'must be 1 with web search');
  return writeRouterSearch(search, target);
}

function refuseForcedTool({ tool_choice: choice, function_call: legacy }: ChatRequest): void {
  const isForced = choice === 'required' || asObject(choice).type === 'function' || isObject(legacy);
  if (isForced) throw cannotForceTool();
}

const holdsFile = ({ content }: Json): boolean =>
  asArray(content).some((part) => asObject(part).type === 'file');

/** The fields that we set on every request of this format. */
export function writeOwnFields(
  { profile, userHash, withoutReasoning, maxPrice, warnings }: RequestTarget,
  { stream, options, hasFiles }: { stream: boolean; options?: Json | null | undefined; hasFiles: boolean },
): Json {
  // Such a provider accepts a history without its reasoning only with thinking off.
  const stopsThinking = withoutReasoning && profile.wantsReasoningBack;
  if (stopsThinking) warnings.push('{reasoning} was turned off: the history lacks its thoughts');
  const fields: Json = {};
  if (stopsThinking) fields.thinking = { type: 'disabled' };
  if (stream) fields.stream_options = { ...options, include_usage: true };
  if (profile.serviceTier !== null) fields.service_tier = profile.serviceTier;
  if (userHash !== null && profile.userField !== null) fields[profile.userField] = userHash;
  if (profile.takesMaxPrice) Object.assign(fields, writeRoutingLimits(maxPrice, hasFiles));
  return fields;
}

/**
 * OpenRouter chooses between providers of one model, and reads PDFs with a service that costs extra unless the
 * model reads them itself. Prices are in USD per million tokens, and per request.
 */
function writeRoutingLimits(maxPrice: MaxPrice | null, hasFiles: boolean): Json {
  const limits: Json = {};
  if (maxPrice !== null)
    limits.provider = { max_price: { prompt: maxPrice.input, completion: maxPrice.output, request: 0 } };
  if (hasFiles) limits.plugins = [{ id: 'file-parser', pdf: { engine: 'native' } }];
  return limits;
}

/** The name that the client used, where the provider accepts it. */
function limitName(request: ChatRequest, { profile }: RequestTarget, usual: string): string {
  return request.max_completion_tokens != null && profile.takesMaxCompletionTokens
    ? 'max_completion_tokens'
    : usual;
}

function repairMessages(
  messages: ChatRequest['messages'],
  target: RequestTarget,
  capabilities: ChatCapabilities,
): Json[] {
  const keepsThoughts = target.profile.takesThoughts && !target.withoutReasoning;
  scanArguments(argumentsOf(messages), 'messages');
  const repaired = messages.map((message) => {
    const called = repairCalls(message, target);
    const own = keepsThoughts || message.role !== 'assistant' ? called : leaveOut(called, THOUGHT_FIELDS);
    return repairBreakpoints(repairRole(own, capabilities), target, capabilities);
  });
  return target.profile.takesRouterFields ? repaired : moveToolMedia(repaired);
}

/** Calls and their results: providers refuse long ids, and arguments that are no JSON. */
function repairCalls(message: Json, { profile, warnings }: RequestTarget): Json {
  const { tool_calls: calls, tool_call_id: callId } = message;
  if (typeof callId === 'string') {
    const id = fitCallId(callId, profile);
    return id === callId ? message : Object.assign({}, message, { tool_call_id: id });
  }
  if (!Array.isArray(calls)) return message;
  const repaired = calls.map((call) => repairCall(call, { profile, warnings }));
  const isSame = repaired.every((call, at) => call === calls[at]);
  return isSame ? message : Object.assign({}, message, { tool_calls: repaired });
}

function repairCall(
  call: unknown,
  { profile, warnings }: Pick<RequestTarget, 'profile' | 'warnings'>,
): unknown {
  if (!isObject(call)) return call;
  const called = asObject(call.function);
  const id = typeof call.id === 'string' ? fitCallId(call.id, profile) : call.id;
  const json = repairArguments(called.arguments, noteUnparsed(warnings));
  if (id === call.id && json === called.arguments) return call;
  const fitting = Object.assign({}, call, { id });
  return json === called.arguments
    ? fitting
    : Object.assign(fitting, { function: Object.assign({}, called, { arguments: json }) });
}

/** What the provider accepts stays, because some models read a meaning in their own ids. */
function fitCallId(id: string, { toolIds }: RequestTarget['profile']): string {
  if (toolIds === 'nine-alphanumeric') return toNineAlphanumeric(id);
  return id.length <= MAX_CHAT_ID ? id : cleanIdentifier(id, MAX_CHAT_ID);
}

/** OpenAI's newer name for the system role, which few other providers know. */
function repairRole(message: Json, { systemRole }: ChatCapabilities): Json {
  if (message.role !== 'developer' || systemRole === 'developer') return message;
  return Object.assign({}, message, { role: systemRole });
}
