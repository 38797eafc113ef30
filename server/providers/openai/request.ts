import { readReasoning } from '../../protocols/chat/read';
import type { ChatRequest } from '../../protocols/chat/schema';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, isObject, leaveOut, refuse } from '../../protocols/read-fields';
import { refuseField } from '../../protocols/read-options';
import { fitEffort } from '../effort';
import { type ChatCapabilities, chatCapabilities } from '../model-capabilities';
import type { ProviderProfile } from '../profiles';
import type { RequestTarget } from '../request-target';
import { repairMark, repairMarks } from './cache-marks';

/**
 * Fields that we set ourselves, or that reach into the account behind the key. What of a prediction
 * does not come true is billed as output beyond every limit, and changes nothing of the answer.
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
/** Priced otherwise than text. */
const DENIED_FIELDS = ['audio', 'background', 'previous_response_id', 'conversation'];
/** Parts whose size we know. Another one may be a recording, or the address of a book. */
const KNOWN_PARTS = new Set<unknown>(['text', 'refusal', 'thinking', 'image_url', 'file']);
const THOUGHT_FIELDS = new Set(['reasoning_content', 'reasoning_details', 'reasoning', 'thinking_blocks']);

/**
 * A chat request as it goes to a provider of the same format: untouched but for the model's name,
 * the output cap, usage in streams (always asked for: it is what we bill by), the service tier and
 * the end user's name.
 */
export function repairChatRequest(request: ChatRequest, target: RequestTarget): Json {
  const { profile, upstreamModel, outputCap, warnings } = target;
  const capabilities = chatCapabilities(profile, upstreamModel, target);
  if (capabilities.onlyResponses) throw refuse('model', 'is not served in this format');
  refuseUnpricedChat(request, profile);
  if (request.store === true) warnings.push('store was dropped');
  if (request.prediction != null) warnings.push('prediction was dropped');
  const body = leaveOut(request, OWN_FIELDS);
  body.model = upstreamModel;
  body.messages = repairMessages(request.messages, target, capabilities);
  if (request.tools != null) body.tools = request.tools.map((tool) => repairMark(tool, target, capabilities));
  body[limitName(request, target, capabilities.limitName)] = outputCap;
  return Object.assign(
    body,
    repairReasoning(request, target, capabilities),
    forceEffort(request, capabilities.toolsWithoutReasoning, warnings),
    writeOwnFields(target, { stream: request.stream === true, options: request.stream_options }),
  );
}

/** What we set on every request of this format. */
export function writeOwnFields(
  { profile, userHash, withoutReasoning, warnings }: RequestTarget,
  { stream, options }: { stream: boolean; options?: Json | null | undefined },
): Json {
  // A history without the thoughts that such a provider wants back is taken only so.
  const stopsThinking = withoutReasoning && profile.wantsReasoningBack;
  if (stopsThinking) warnings.push('thinking was turned off: the history lacks its thoughts');
  const fields: Json = {};
  if (stopsThinking) fields.thinking = { type: 'disabled' };
  if (stream) fields.stream_options = { ...options, include_usage: true };
  if (profile.serviceTier !== null) fields.service_tier = profile.serviceTier;
  if (userHash !== null && profile.userField !== null) fields[profile.userField] = userHash;
  return fields;
}

/** The name that the client used, where the provider takes it. */
function limitName(request: ChatRequest, { profile }: RequestTarget, usual: string): string {
  return request.max_completion_tokens != null && profile.takesMaxCompletionTokens
    ? 'max_completion_tokens'
    : usual;
}

function forceEffort(request: ChatRequest, toolsWithoutReasoning: boolean, warnings: string[]): Json {
  const hasTools = (request.tools ?? []).length > 0 || (request.functions ?? []).length > 0;
  if (!toolsWithoutReasoning || !hasTools) return {};
  if (request.reasoning_effort !== 'none')
    warnings.push('reasoning_effort was set to none: this model takes tools only so');
  return { reasoning_effort: 'none' };
}

/** OpenRouter's field for what others call the effort. */
function repairReasoning(request: ChatRequest, target: RequestTarget, capabilities: ChatCapabilities): Json {
  if (!isObject(request.reasoning) || target.profile.takesRouterFields) return {};
  const effort =
    request.reasoning_effort ?? fitEffort(readReasoning(request), capabilities.efforts, target.warnings);
  return { reasoning: undefined, ...(effort !== null && { reasoning_effort: effort }) };
}

function repairMessages(
  messages: ChatRequest['messages'],
  target: RequestTarget,
  capabilities: ChatCapabilities,
): Json[] {
  const keepsThoughts = target.profile.takesThoughts && !target.withoutReasoning;
  return messages.map((message) => {
    const own = keepsThoughts || message.role !== 'assistant' ? message : leaveOut(message, THOUGHT_FIELDS);
    return repairMarks(repairRole(own, capabilities), target, capabilities);
  });
}

/** OpenAI's newer name for the system, which hardly anyone else knows. */
function repairRole(message: Json, { systemRole }: ChatCapabilities): Json {
  if (message.role !== 'developer' || systemRole === 'developer') return message;
  return Object.assign({}, message, { role: systemRole });
}

/** What the catalogue does not price, and files of an account that all users share; for every provider. */
export function refuseUnpricedChat(request: ChatRequest, { deniedFields }: ProviderProfile): void {
  for (const field of [...DENIED_FIELDS, ...deniedFields]) {
    if (request[field] !== undefined && request[field] !== null) throw refuseField(field);
  }
  if (asArray(request.modalities).some((modality) => modality !== 'text'))
    throw refuse('modalities', 'only text is offered');
  for (const [index, tool] of (request.tools ?? []).entries()) {
    const type = tool.type ?? 'function';
    if (type !== 'function' && type !== 'custom') {
      throw refuse(`tools.${index}.type`, `tools of type ${asText(type).slice(0, 40)} are not offered`);
    }
  }
  for (const [index, message] of request.messages.entries()) refuseParts(message, `messages.${index}`);
}

function refuseParts(message: Json, param: string): void {
  if (isObject(message.audio)) throw refuse(`${param}.audio`, 'is not offered');
  for (const [index, part] of asArray(message.content).entries()) {
    const { type, file, image_url } = asObject(part);
    const place = `${param}.content.${index}`;
    if (typeof type === 'string' && !KNOWN_PARTS.has(type))
      throw refuse(`${place}.type`, `parts of type ${type.slice(0, 40)} are not offered`);
    if (asObject(file).file_id != null || asObject(image_url).file_id != null) {
      throw refuse(place, 'uploaded files are not offered: send the content itself');
    }
  }
}
