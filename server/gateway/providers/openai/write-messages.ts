import type { Json, Message, Part, Prompt, TextPart, ToolResultPart } from '../../protocols/neutral';
import { providerOfPlaceholder } from '../../protocols/placeholder-signature';
import { refuse } from '../../protocols/read-fields';
import { cleanIdentifier, MAX_CHAT_ID, type ToolNames, toNineAlphanumeric } from '../../protocols/tool-ids';
import { OPERATOR_NOTE } from '../operator-note';
import type { ProviderProfile } from '../profiles';
import { CACHE_BREAKPOINT } from './cache-breakpoints';
import type { ChatCapabilities } from './chat-capabilities';
import { resultLabel } from './tool-media';

export type WriteContext = {
  profile: ProviderProfile;
  capabilities: ChatCapabilities;
  names: ToolNames;
  withoutReasoning: boolean;
};

/** The conversation as messages of the chat format. */
export function writeMessages(prompt: Prompt, context: WriteContext): Json[] {
  const turns = prompt.messages.flatMap((message) => writeTurn(message, context));
  const messages = [...writeSystem(prompt.system, context), ...turns];
  return context.profile.strictAlternation ? mergeTurns(messages) : messages;
}

function writeSystem(system: readonly TextPart[], { capabilities }: WriteContext): Json[] {
  if (system.length === 0) return [];
  const isMarked = capabilities.cacheBreakpoints && system.some((part) => part.cache !== undefined);
  const content = isMarked
    ? system.map((part) => ({ type: 'text', text: part.text, ...breakpoint(part, capabilities) }))
    : system.map((part) => part.text).join('\n\n');
  return [{ role: capabilities.systemRole, content }];
}

function writeTurn({ role, parts }: Message, context: WriteContext): Json[] {
  switch (role) {
    case 'system': {
      const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n');
      if (context.profile.takesLaterSystem) return [{ role: context.capabilities.systemRole, content: text }];
      return [{ role: 'user', content: `${OPERATOR_NOTE}\n${text}` }];
    }
    case 'assistant':
      return [writeAssistant(parts, context)];
    case 'user':
      return writeUser(parts, context);
  }
}

function writeAssistant(parts: readonly Part[], context: WriteContext): Json {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = parts.flatMap((part) => {
    if (part.type !== 'tool-call') return [];
    const called = { name: context.names.toProvider(part.name), arguments: JSON.stringify(part.input) };
    const thought = part.thoughtSignature;
    const extra = thought === undefined ? {} : { extra_content: { google: { thought_signature: thought } } };
    const keepsThought = context.profile.wantsThoughtSignatures;
    return [
      { id: cleanId(part.id, context), type: 'function', function: called, ...(keepsThought && extra) },
    ];
  });
  const reasoning =
    context.profile.wantsReasoningBack && !context.withoutReasoning ? joinThoughts(parts, context) : null;
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning !== null && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Joins the reasoning, without parts that another provider signed. Null when there is none. */
function joinThoughts(parts: readonly Part[], { profile }: WriteContext): string | null {
  const thoughts = parts.flatMap((part) => {
    if (part.type !== 'reasoning') return [];
    const maker = providerOfPlaceholder(part.signature);
    return maker === null || maker === profile.name ? [part.text] : [];
  });
  return thoughts.length === 0 ? null : thoughts.join('');
}

/** First the results of tools, one message each, then the user's own parts. */
function writeUser(parts: readonly Part[], context: WriteContext): Json[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const shown = [...results.flatMap(showMedia), ...parts.filter((part) => part.type !== 'tool-result')];
  const content = shown.flatMap((part) => writePart(part, context));
  const [only] = content;
  const isText = content.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  const messages = results.map((result) => writeResult(result, context));
  return content.length === 0
    ? messages
    : [...messages, { role: 'user', content: isText ? only.text : content }];
}

function writeResult(result: ToolResultPart, context: WriteContext): Json {
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const content = result.isError ? `Error: ${text}` : text;
  return { role: 'tool', tool_call_id: cleanId(result.callId, context), content };
}

/** Tool messages accept only text: images move to the user turn, after a line that names their call. */
function showMedia(result: ToolResultPart): Part[] {
  const media = result.content.filter((part) => part.type !== 'text');
  return media.length === 0 ? [] : [resultLabel(result.callId), ...media];
}

function writePart(part: Part, { profile, capabilities }: WriteContext): Json[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...breakpoint(part, capabilities) }];
    case 'image': {
      const { source } = part;
      if (source.kind === 'url' && !profile.takesImageUrls) {
        throw refuse(part.place, 'this model does not accept image URLs: send the image as base64');
      }
      const url = source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
      const image_url = part.isLowDetail === true ? { url, detail: 'low' } : { url };
      return [{ type: 'image_url', image_url, ...breakpoint(part, capabilities) }];
    }
    case 'document': {
      if (part.source.kind === 'url')
        throw refuse(part.place, 'this model does not accept document URLs: send the PDF as base64');
      if (!profile.takesPdf) throw refuse(part.place, 'this model does not accept PDF documents');
      const file = {
        filename: part.title ?? 'document.pdf',
        file_data: `data:application/pdf;base64,${part.source.data}`,
      };
      return [{ type: 'file', file, ...breakpoint(part, capabilities) }];
    }
    default:
      return [];
  }
}

function breakpoint(part: { cache?: unknown }, { cacheBreakpoints }: ChatCapabilities): Json {
  return cacheBreakpoints && part.cache !== undefined ? CACHE_BREAKPOINT : {};
}

function cleanId(id: string, { profile }: WriteContext): string {
  return profile.toolIds === 'nine-alphanumeric' ? toNineAlphanumeric(id) : cleanIdentifier(id, MAX_CHAT_ID);
}

/** Some chat templates reject two consecutive turns of one role. */
function mergeTurns(messages: readonly Json[]): Json[] {
  const merged: Json[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      last.role === message.role &&
      (message.role === 'user' || message.role === 'system')
    ) {
      const parts = toParts(last.content);
      for (const part of toParts(message.content)) parts.push(part);
      last.content = parts;
    } else {
      merged.push({ ...message });
    }
  }
  return merged;
}

function toParts(content: unknown): unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown[]);
}
