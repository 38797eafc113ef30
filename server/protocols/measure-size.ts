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
  for (const message of messages) addValue(message, size);
  for (const value of rest) {
    if (value !== undefined && value !== null) size.textBytes += Buffer.byteLength(JSON.stringify(value));
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

function addValue(value: unknown, size: Size): void {
  if (typeof value === 'string') {
    size.textBytes += Buffer.byteLength(value);
  } else if (Array.isArray(value)) {
    for (const item of value) addValue(item, size);
  } else if (isObject(value) && !addMedia(value, size)) {
    for (const item of Object.values(value)) addValue(item, size);
  }
}

/** Images, documents and audio are not counted by their bytes. True when `part` was one. */
function addMedia(part: Record<string, unknown>, size: Size): boolean {
  switch (part.type) {
    case 'image_url':
    case 'image':
      size.otherTokens += TOKENS_PER_IMAGE;
      return true;
    case 'document':
      if (isObject(part.source) && part.source.type !== 'base64' && part.source.type !== 'url') return false;
      size.otherTokens += documentTokens(part);
      return true;
    case 'file':
      size.otherTokens += documentTokens(part);
      return true;
    case 'input_audio':
      size.otherTokens += JSON.stringify(part).length * TOKENS_PER_AUDIO_BYTE;
      return true;
    default:
      return false;
  }
}

/** A document given by its address may have any size: one of a hundred pages is assumed. */
const TOKENS_OF_UNSEEN_DOCUMENT = 300_000;

function documentTokens(part: Record<string, unknown>): number {
  if (isObject(part.source) && part.source.type === 'url') return TOKENS_OF_UNSEEN_DOCUMENT;
  return Math.max(TOKENS_PER_IMAGE, JSON.stringify(part).length * TOKENS_PER_DOCUMENT_BYTE);
}
