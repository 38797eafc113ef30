import type { CountTokensRequest, MessagesRequest } from '../../protocols/messages/schema';
import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText, leaveOut, refuse } from '../../protocols/read-fields';
import { refuseField } from '../../protocols/read-options';
import { isReasoningMark } from '../../protocols/reasoning-mark';
import { claudeCapabilities } from '../model-capabilities';
import { OPERATOR_NOTE } from '../operator-note';
import type { RequestTarget } from '../request-target';
import { repairThinking } from './repair-thinking';

/** Fields that we set ourselves. */
const OWN_FIELDS = new Set(['metadata', 'service_tier', 'diagnostics']);
/** Fields that change the price or who answers, or reach into an account. The value that changes nothing passes. */
const DENIED_FIELDS: Record<string, (value: unknown) => boolean> = {
  speed: (value) => value === 'standard',
  inference_geo: (value) => value === 'global',
  container: () => false,
  mcp_servers: (value) => asArray(value).length === 0,
  fallbacks: (value) => asArray(value).length === 0,
  thread: () => false,
};
/**
 * Tools that the provider runs: billed beside the tokens, or, as a page that it fetches, in tokens
 * that no hold could foresee.
 */
const BILLED_TOOLS = /^(web_search|web_fetch|code_execution|advisor|mcp)_/;

/**
 * A messages request as it goes to a provider of the same format: untouched but for the model's
 * name, the output cap, the service tier, the end user's name, and thoughts that are not the
 * provider's own.
 */
export function repairMessagesRequest(request: MessagesRequest, target: RequestTarget): Json {
  refuseUnpriced(request);
  const body = leaveOut(request, OWN_FIELDS);
  body.model = target.upstreamModel;
  body.max_tokens = target.outputCap;
  body.messages = repairMessages(request.messages, target);
  return Object.assign(body, repairThinking(request, target), writeOwnFields(target));
}

const COUNTED_FIELDS = [
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
];

/** The body of `count_tokens`: what is counted, and nothing else. */
export function writeCountRequest(request: CountTokensRequest, target: RequestTarget): Json {
  const counted = COUNTED_FIELDS.flatMap((field) =>
    request[field] == null ? [] : [[field, request[field]] as const],
  );
  return {
    ...Object.fromEntries(counted),
    model: target.upstreamModel,
    messages: repairMessages(request.messages, target),
  };
}

/** What we set on every request of this format. */
export function writeOwnFields({ profile, userHash }: Pick<RequestTarget, 'profile' | 'userHash'>): Json {
  return {
    ...(profile.serviceTier !== null && { service_tier: profile.serviceTier }),
    ...(userHash !== null && profile.userField === 'metadata' && { metadata: { user_id: userHash } }),
  };
}

/** What the catalogue does not price, and files of an account that all users share; for every provider. */
export function refuseUnpriced(request: CountTokensRequest): void {
  for (const [field, isIdle] of Object.entries(DENIED_FIELDS)) {
    const value = request[field];
    if (value !== undefined && value !== null && !isIdle(value)) throw refuseField(field);
  }
  const edits = asArray(asObject(request.context_management).edits).map(asObject);
  if (edits.some(({ type }) => asText(type).startsWith('compact')))
    throw refuseField('context_management.edits');
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if (BILLED_TOOLS.test(asText(tool.type))) {
      throw refuse(`tools.${index}.type`, `tools of type ${asText(tool.type).slice(0, 40)} are not offered`);
    }
  }
  for (const [index, message] of request.messages.entries())
    refuseFiles(message.content, `messages.${index}.content`);
}

function refuseFiles(content: unknown, param: string): void {
  for (const [index, block] of asArray(content).entries()) {
    const { type, source, content: inner } = asObject(block);
    const place = `${param}.${index}`;
    if (asObject(source).type === 'file' || type === 'container_upload') {
      throw refuse(place, 'uploaded files are not offered: send the content itself');
    }
    refuseFiles(inner, `${place}.content`);
  }
}

function repairMessages(messages: CountTokensRequest['messages'], target: RequestTarget): Json[] {
  const { laterSystem } = claudeCapabilities(target.upstreamModel);
  return messages.flatMap((message): Json[] => {
    if (message.role === 'system' && !laterSystem) return [toNote(message)];
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return [message];
    const content = message.content.filter((block) => !isForeignThought(block, target));
    if (content.length === message.content.length) return [message];
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** A thought with a signature that this provider did not make is refused by it. */
function isForeignThought(block: Json, { withoutReasoning }: RequestTarget): boolean {
  if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return false;
  return withoutReasoning || isReasoningMark(asText(block.signature));
}

function toNote({ content }: Json): Json {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { role: 'user', content: [{ type: 'text', text: OPERATOR_NOTE }, ...asArray(blocks)] };
}
