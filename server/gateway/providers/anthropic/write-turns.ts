import { decodedBytes, sniffImageType } from '../../protocols/media';
import type {
  CacheLifetime,
  DocumentPart,
  ImagePart,
  Json,
  Message,
  Part,
  TextPart,
  ToolResultPart,
} from '../../protocols/neutral';
import { refuse } from '../../protocols/read-fields';
import { cleanIdentifier, type ToolNames } from '../../protocols/tool-ids';
import { OPERATOR_NOTE } from '../operator-note';
import type { ClaudeCapabilities } from './claude-capabilities';

export type TurnContext = {
  capabilities: ClaudeCapabilities;
  names: ToolNames;
  /** Whether earlier thinking is sent back, which is not allowed when thinking is off. */
  keepsThoughts: boolean;
  warnings: string[];
};

/** Not blank, because blank text is rejected. */
const OPENING = 'Continue.';
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

/** The conversation as turns of the messages format, beginning and ending with the user. */
export function writeTurns(messages: readonly Message[], context: TurnContext): Json[] {
  const placed = context.capabilities.laterSystem ? placeSystemTurns(messages) : messages.map(toNote);
  const turns = mergeTurns(placed).flatMap((message) => writeTurn(message, context));
  if (turns.every(({ role }) => role === 'system'))
    throw refuse('messages', 'needs at least one user message');
  const first = turns.find(({ role }) => role !== 'system');
  if (first?.role === 'assistant') turns.unshift(writeOpening());
  return askAgain(turns, context.warnings);
}

/** Turns system messages inside the conversation into user turns, for models without such messages. */
function toNote(message: Message): Message {
  if (message.role !== 'system') return message;
  return { role: 'user', parts: [{ type: 'text', text: OPERATOR_NOTE }, ...message.parts] };
}

/** A system turn must follow a user turn: one after an assistant turn waits for the next user turn. */
function placeSystemTurns(messages: readonly Message[]): Message[] {
  const placed: Message[] = [];
  let waiting: Message[] = [];
  for (const message of messages) {
    if (message.role === 'system') {
      if (placed.at(-1)?.role === 'assistant' || placed.length === 0 || waiting.length > 0)
        waiting.push(message);
      else placed.push(message);
      continue;
    }
    placed.push(message);
    if (message.role === 'user') {
      for (const waited of waiting) placed.push(waited);
      waiting = [];
    }
  }
  return [...placed, ...waiting.map(toNote)];
}

function mergeTurns(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role) for (const part of message.parts) last.parts.push(part);
    else merged.push({ ...message, parts: [...message.parts] });
  }
  return merged;
}

function writeTurn({ role, parts }: Message, context: TurnContext): Json[] {
  const content = parts.flatMap((part) => writeBlock(part, context));
  return content.length === 0 ? [] : [{ role, content }];
}

function writeBlock(part: Part, context: TurnContext): Json[] {
  switch (part.type) {
    case 'text':
    case 'image':
    case 'document':
      return [writeContent(part)];
    case 'tool-call': {
      const { name, input } = part;
      const id = cleanIdentifier(part.id);
      return [
        { type: 'tool_use', id, name: context.names.toProvider(name), input, ...writeCacheBreakpoint(part) },
      ];
    }
    case 'tool-result':
      return [writeResult(part)];
    case 'reasoning':
      if (!context.keepsThoughts || part.signature === null) return [];
      return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
    case 'redacted-reasoning':
      return context.keepsThoughts ? [{ type: 'redacted_thinking', data: part.data }] : [];
  }
}

function writeResult(part: ToolResultPart): Json {
  return {
    type: 'tool_result',
    tool_use_id: cleanIdentifier(part.callId),
    ...(part.content.length > 0 && { content: part.content.map(writeContent) }),
    ...(part.isError && { is_error: true }),
    ...writeCacheBreakpoint(part),
  };
}

export function writeContent(part: TextPart | ImagePart | DocumentPart): Json {
  const breakpoint = writeCacheBreakpoint(part);
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...breakpoint };
    case 'image':
      return { type: 'image', source: writeImageSource(part), ...breakpoint };
    case 'document': {
      const { source, title } = part;
      const data =
        source.kind === 'url'
          ? { type: 'url', url: source.url }
          : { type: 'base64', media_type: 'application/pdf', data: source.data };
      return { type: 'document', source: data, ...(title !== null && { title }), ...breakpoint };
    }
  }
}

/** The provider checks the declared type, which is often wrong. */
function writeImageSource({ source, place }: ImagePart): Json {
  if (source.kind === 'url') return { type: 'url', url: source.url };
  const mediaType = sniffImageType(source.data);
  if (mediaType === null) throw refuse(place, 'must be a JPEG, PNG, GIF or WebP image');
  if (decodedBytes(source.data) > MAX_IMAGE_BYTES) throw refuse(place, 'must be an image of at most 10 MB');
  return { type: 'base64', media_type: mediaType, data: source.data };
}

export function writeCacheBreakpoint({ cache }: { cache?: CacheLifetime }): Json {
  if (cache === undefined) return {};
  return { cache_control: { type: 'ephemeral', ...(cache === '1h' && { ttl: '1h' }) } };
}

/**
 * In the formats of OpenAI a turn of the assistant is complete, and the model answers it. Claude would continue it, or
 * refuse to.
 */
function askAgain(turns: Json[], warnings: string[]): Json[] {
  if (turns.at(-1)?.role !== 'assistant') return turns;
  warnings.push('{history}: a user turn was added, because the last message is from the assistant');
  return [...turns, writeOpening()];
}

const writeOpening = (): Json => ({ role: 'user', content: [{ type: 'text', text: OPENING }] });
