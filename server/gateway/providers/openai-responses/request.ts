import { keepKnownFields } from '../../protocols/known-fields';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, leaveOut } from '../../protocols/read-fields';
import { refuseUnpricedResponses } from '../../protocols/responses/refuse-unpriced';
import type { ResponsesRequest } from '../../protocols/responses/schema';
import { isOwnReasoning } from '../../protocols/responses/sealed-reasoning';
import { isSearchTool } from '../../protocols/responses/search-tool';
import { withoutOfflineSearch } from '../../protocols/responses/tools';
import { SOURCES } from '../../protocols/responses/write';
import { noteUnparsed, repairArguments, scanArguments } from '../../protocols/tool-arguments';
import { cleanIdentifier } from '../../protocols/tool-ids';
import { type ChatCapabilities, chatCapabilities } from '../openai/chat-capabilities';
import type { RequestTarget } from '../request-target';
import { RESPONSES_FIELDS } from './request-fields';

/** Fields that we set ourselves, that we have resolved, or that access the account behind the key. */
const OWN_FIELDS = new Set([
  'max_output_tokens',
  'service_tier',
  'user',
  'safety_identifier',
  'metadata',
  'client_metadata',
  'store',
  'include',
  'previous_response_id',
  'background',
  'conversation',
  'prompt',
]);

const REASONING_CONTENT = 'reasoning.encrypted_content';
const LOGPROBS = 'message.output_text.logprobs';
const INCLUDED = new Set([REASONING_CONTENT, LOGPROBS, SOURCES]);

/**
 * Prepares a responses request for OpenAI: its known fields, unchanged except for the model name, the output
 * cap, the most searches, the service tier, the id of the end user, and what this model does not accept. OpenAI keeps nothing, so
 * that its items contain their reasoning and no id.
 */
export function repairResponsesRequest(request: ResponsesRequest, target: RequestTarget): Json {
  const { profile, upstreamModel, outputCap, searches, userHash, warnings } = target;
  const capabilities = chatCapabilities(profile, upstreamModel, target);
  refuseUnpricedResponses(request, profile.deniedFields, searches);
  const tools = withoutOfflineSearch(request.tools ?? [], warnings);
  const limit = tools.some(isSearchTool) ? { max_tool_calls: searches } : null;
  const offered =
    tools === request.tools && limit === null
      ? request
      : Object.assign({}, request, { tools }, limit && { max_tool_calls: undefined });
  const known = keepKnownFields(offered, RESPONSES_FIELDS, warnings);
  const body = leaveOut(known, OWN_FIELDS);
  body.model = upstreamModel;
  body.input = repairItems(known.input, target);
  body.max_output_tokens = outputCap;
  body.store = false;
  body.include = includedFields(request, capabilities, warnings);
  if (profile.serviceTier !== null) body.service_tier = profile.serviceTier;
  if (userHash !== null && profile.userField !== null) body[profile.userField] = userHash;
  Object.assign(body, limit);
  return Object.assign(body, adaptReasoning(known, capabilities, warnings));
}

/** A model that does not reason refuses to include its reasoning. */
function includedFields(
  { include }: ResponsesRequest,
  { efforts }: ChatCapabilities,
  warnings: string[],
): string[] {
  for (const field of include ?? []) {
    if (!INCLUDED.has(field)) warnings.push(`include ${field.slice(0, 40)} was dropped`);
  }
  const requested = [LOGPROBS, SOURCES].filter((field) => include?.includes(field));
  return efforts === null ? requested : [REASONING_CONTENT, ...requested];
}

function adaptReasoning(
  { reasoning, temperature, top_p }: ResponsesRequest,
  { efforts, sampling }: ChatCapabilities,
  warnings: string[],
): Json {
  const fields: Json = {};
  const { effort } = asObject(reasoning);
  if (efforts === null && reasoning != null) {
    fields.reasoning = undefined;
    if (effort != null && effort !== 'none') warnings.push('reasoning.effort was dropped');
  }
  if (sampling === 'yes' || (sampling === 'without-reasoning' && effort === 'none')) return fields;
  for (const [name, value] of Object.entries({ temperature, top_p })) {
    if (value == null) continue;
    fields[name] = undefined;
    if (value !== 1) warnings.push(`${name} was dropped`);
  }
  return fields;
}

function repairItems(
  input: ResponsesRequest['input'],
  { withoutReasoning, warnings }: RequestTarget,
): unknown {
  if (typeof input === 'string') return input;
  const items = asArray(input).map(asObject);
  scanArguments(
    items.map((item) => item.arguments),
    'input',
  );
  const warn = noteUnparsed(warnings);
  return items.flatMap((item) => repairItem(item, withoutReasoning, warn));
}

/**
 * Reasoning that OpenAI did not write, or that lacks its content, is omitted: OpenAI refuses it. So does it a search,
 * whose results it would have to have kept.
 */
function repairItem(item: Json, withoutReasoning: boolean, warn: () => void): Json[] {
  if (item.type === 'web_search_call') return [];
  if (item.type === 'reasoning') {
    const content = asText(item.encrypted_content);
    if (withoutReasoning || content === '' || isOwnReasoning(content)) return [];
  }
  const { call_id: callId } = item;
  const cleaned = typeof callId === 'string' ? cleanIdentifier(callId) : callId;
  const json = item.type === 'function_call' ? repairArguments(item.arguments, warn) : item.arguments;
  if (item.id === undefined && cleaned === callId && json === item.arguments) return [item];
  return [Object.assign({}, item, { id: undefined, call_id: cleaned, arguments: json })];
}
