import { describeResults } from '../../protocols/messages/read-blocks';
import { refuseUnpricedMessages } from '../../protocols/messages/refuse-unpriced';
import type { CountTokensRequest, MessagesRequest } from '../../protocols/messages/schema';
import { limitSearchTool, refuseSearchTool } from '../../protocols/messages/search-tool';
import { isOwnSearch } from '../../protocols/messages/write';
import type { Json } from '../../protocols/neutral';
import { isPlaceholderSignature } from '../../protocols/placeholder-signature';
import { asArray, asObject, asText, leaveOut } from '../../protocols/read-fields';
import { cleanIdentifier, uniqueIds } from '../../protocols/tool-ids';
import { OPERATOR_NOTE } from '../operator-note';
import type { RequestTarget } from '../request-target';
import { claudeCapabilities } from './claude-capabilities';
import { repairThinking } from './repair-thinking';
import { keepMessagesFields } from './request-fields';

/** Fields that we set ourselves. */
const OWN_FIELDS = new Set(['metadata', 'service_tier', 'diagnostics']);

/**
 * Prepares a messages request for a provider of the same format: its known fields, unchanged except for the
 * model name, the output cap, the most searches, the service tier, the id of the end user, and the thinking of other providers.
 */
export function repairMessagesRequest(request: MessagesRequest, target: RequestTarget): Json {
  refuseUnpricedMessages(request);
  refuseSearchTool(request.tools, target.searches);
  const known = keepMessagesFields(request, target.warnings);
  const body = leaveOut(known, OWN_FIELDS);
  body.model = target.upstreamModel;
  body.max_tokens = target.outputCap;
  body.messages = repairMessages(known.messages, target);
  if (known.tools != null) body.tools = limitSearchTool(known.tools, target.searches);
  return Object.assign(
    body,
    repairThinking(known, target),
    dropSampling(known, target),
    writeOwnFields(target),
  );
}

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

/** Clients of older models send what newer ones reject. Other models than Claude decide themselves. */
function dropSampling(request: MessagesRequest, { upstreamModel, warnings }: RequestTarget): Json {
  const fields: Json = {};
  if (!/claude-/.test(upstreamModel) || claudeCapabilities(upstreamModel).sampling) return fields;
  for (const name of SAMPLING) {
    const value = request[name];
    if (value == null) continue;
    fields[name] = undefined;
    if (name === 'top_k' || value !== 1) warnings.push(`${name} was dropped`);
  }
  return fields;
}

/** The fields that we set on every request of this format. */
export function writeOwnFields({ profile, userHash }: Pick<RequestTarget, 'profile' | 'userHash'>): Json {
  return {
    ...(profile.serviceTier !== null && { service_tier: profile.serviceTier }),
    ...(userHash !== null && profile.userField === 'metadata' && { metadata: { user_id: userHash } }),
  };
}

export function repairMessages(messages: CountTokensRequest['messages'], target: RequestTarget): Json[] {
  const { laterSystem } = claudeCapabilities(target.upstreamModel);
  return repairCallIds(messages).flatMap((message): Json[] => {
    if (message.role === 'system' && !laterSystem) return [toNote(message)];
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return [message];
    if (!message.content.some((block) => isForeign(block, target))) return [message];
    const content = message.content.flatMap((block) => repairBlock(block, target));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** Anthropic refuses ids with other characters, and one id for two calls. Calls and their results change alike. */
function repairCallIds(messages: readonly Json[]): Json[] {
  const uniqueId = uniqueIds(() => [], String);
  /** The new ids of the calls that had an id, and how many of them have a result. */
  const given = new Map<string, { ids: string[]; answered: number }>();

  function callId(id: string): string {
    const own = cleanIdentifier(uniqueId(id));
    const calls = given.get(id);
    if (calls === undefined) given.set(id, { ids: [own], answered: 0 });
    else calls.ids.push(own);
    return own;
  }

  function resultId(id: string): string {
    const calls = given.get(id);
    return calls?.ids[calls.answered++] ?? cleanIdentifier(id);
  }

  const repair = (block: unknown): unknown => {
    const { type, id, tool_use_id: of } = asObject(block);
    const field = type === 'tool_use' && asText(id) !== '' ? { id: callId(asText(id)) } : null;
    const ofCall =
      type === 'tool_result' && asText(of) !== '' ? { tool_use_id: resultId(asText(of)) } : field;
    const isSame =
      ofCall === null || Object.entries(ofCall).every(([name, own]) => asObject(block)[name] === own);
    return isSame ? block : Object.assign({}, block, ofCall);
  };
  return messages.map((message) => {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const repaired = content.map(repair);
    const isSame = repaired.every((block, at) => block === content[at]);
    return isSame ? message : Object.assign({}, message, { content: repaired });
  });
}

const isForeign = (block: Json, target: RequestTarget): boolean =>
  isForeignThought(block, target) ||
  isOwnSearch(block.id) ||
  isOwnSearch(block.tool_use_id) ||
  asArray(block.citations).some(isForeignCitation);

/** Anthropic rejects thinking that it did not sign, and what it did not encrypt: such results are sent as text. */
function repairBlock(block: Json, target: RequestTarget): Json[] {
  if (isForeignThought(block, target) || isOwnSearch(block.id)) return [];
  if (isOwnSearch(block.tool_use_id)) {
    const text = describeResults(block.content);
    return text === null ? [] : [{ type: 'text', text }];
  }
  if (!asArray(block.citations).some(isForeignCitation)) return [block];
  const citations = asArray(block.citations).filter((citation) => !isForeignCitation(citation));
  return [Object.assign({}, block, { citations: citations.length === 0 ? undefined : citations })];
}

const isForeignCitation = (citation: unknown): boolean =>
  isPlaceholderSignature(asText(asObject(citation).encrypted_index));

function isForeignThought(block: Json, { withoutReasoning }: RequestTarget): boolean {
  if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return false;
  return withoutReasoning || isPlaceholderSignature(asText(block.signature));
}

function toNote({ content }: Json): Json {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { role: 'user', content: [{ type: 'text', text: OPERATOR_NOTE }, ...asArray(blocks)] };
}
