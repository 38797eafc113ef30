import { isObject } from './read-fields';

/**
 * Sizes in tokens from bytes alone. A tokenizer over raw request text can block the process for
 * seconds; byte ratios err on a known side: high for the hold, in the middle for an estimated bill.
 */

/** Whose tokens: those of current Claude models are smaller. */
export type TokenKind = 'openai' | 'anthropic';

export type InputSize = { largestInputTokens: number; likelyInputTokens: number };

const BYTES_PER_TOKEN_LOW = { openai: 3, anthropic: 2.2 };
const BYTES_PER_TOKEN_TYPICAL = { openai: 4, anthropic: 3 };
const TOKENS_PER_IMAGE = 2_000;
/** A page of PDF is about 3,000 tokens and rarely smaller than 20 kB of base64. */
const TOKENS_PER_DOCUMENT_BYTE = 3_000 / 20_000;
const TOKENS_PER_AUDIO_BYTE = 50 / 8_000;
const TOKENS_PER_MESSAGE = 8;

type Size = { textBytes: number; otherTokens: number };

/** `messages` and everything else that the model reads: system, tools, schemas. */
export function measureInput(
  messages: readonly unknown[],
  rest: readonly unknown[],
  kind: TokenKind,
): InputSize {
  const size: Size = { textBytes: 0, otherTokens: messages.length * TOKENS_PER_MESSAGE };
  for (const message of messages) addMessage(message, size);
  for (const value of rest) {
    if (value !== undefined && value !== null) addJson(value, size);
  }
  const other = Math.ceil(size.otherTokens);
  return {
    largestInputTokens: Math.ceil(size.textBytes / BYTES_PER_TOKEN_LOW[kind]) + other,
    likelyInputTokens: Math.ceil(size.textBytes / BYTES_PER_TOKEN_TYPICAL[kind]) + other,
  };
}

/** The best guess at what was produced, for a bill without reported usage. */
export function likelyOutputTokens(outputBytes: number, kind: TokenKind = 'openai'): number {
  return Math.ceil(outputBytes / BYTES_PER_TOKEN_TYPICAL[kind]);
}

/** A message, or the content of one alone. */
function addMessage(message: unknown, size: Size): void {
  if (!isObject(message)) return addContent(message, size);
  const { content, ...rest } = message;
  addContent(content, size);
  addText(rest, size);
}

function addContent(content: unknown, size: Size): void {
  if (!Array.isArray(content)) return addText(content, size);
  for (const part of content) {
    if (isObject(part)) addPart(part, size);
    else addText(part, size);
  }
}

/** Media are not counted by their bytes; whatever else stands in a part is. */
function addPart(part: Record<string, unknown>, size: Size): void {
  const media = readMedia(part);
  size.otherTokens += media?.tokens ?? 0;
  for (const [name, value] of Object.entries(part)) {
    if (name === media?.field) continue;
    if (name === 'content') addContent(value, size);
    else if (name === 'source' && isObject(value)) addMessage(value, size);
    // What a tool was called with is told to the model as JSON.
    else if (name === 'input') addJson(value, size);
    else addText(value, size);
  }
}

function addText(value: unknown, size: Size): void {
  if (typeof value === 'string') size.textBytes += Buffer.byteLength(value);
  else if (typeof value === 'number') size.textBytes += String(value).length;
  else if (Array.isArray(value)) for (const item of value) addText(item, size);
  else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      addText(name, size);
      addText(item, size);
    }
  }
}

function addJson(value: unknown, size: Size): void {
  size.textBytes += Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** The field of a part that holds an image, a document or audio, and what it is worth. */
function readMedia(part: Record<string, unknown>): { field: string; tokens: number } | null {
  switch (part.type) {
    case 'image_url':
      return { field: 'image_url', tokens: TOKENS_PER_IMAGE };
    case 'image':
      return { field: 'source', tokens: TOKENS_PER_IMAGE };
    case 'document':
      if (isObject(part.source) && part.source.type !== 'base64' && part.source.type !== 'url') return null;
      return { field: 'source', tokens: documentTokens(part) };
    case 'file':
      return { field: 'file', tokens: documentTokens(part) };
    case 'input_audio':
      return { field: 'input_audio', tokens: JSON.stringify(part).length * TOKENS_PER_AUDIO_BYTE };
    default:
      return null;
  }
}

/** A document given by its address may have any size: one of a hundred pages is assumed. */
const TOKENS_OF_UNSEEN_DOCUMENT = 300_000;

function documentTokens(part: Record<string, unknown>): number {
  if (isObject(part.source) && part.source.type === 'url') return TOKENS_OF_UNSEEN_DOCUMENT;
  return Math.max(TOKENS_PER_IMAGE, JSON.stringify(part).length * TOKENS_PER_DOCUMENT_BYTE);
}
