import type { ChatRequest } from './schema';

/**
 * Sizes in tokens from bytes alone. A tokenizer over raw request text can block the process for
 * seconds; byte ratios err on a known side: high for the hold, in the middle for an estimated bill.
 */
const BYTES_PER_TOKEN_LOW = 3;
const BYTES_PER_TOKEN_TYPICAL = 4;
const TOKENS_PER_IMAGE = 2_000;
/** A page of PDF is about 3,000 tokens and rarely smaller than 20 kB of base64. */
const TOKENS_PER_DOCUMENT_BYTE = 3_000 / 20_000;
const TOKENS_PER_AUDIO_BYTE = 50 / 8_000;
const TOKENS_PER_MESSAGE = 8;

type Size = { textBytes: number; otherTokens: number };

/** At least as many input tokens as any provider is likely to count. */
export function largestInputTokens(request: ChatRequest): number {
  const { textBytes, otherTokens } = measure(request);
  return Math.ceil(textBytes / BYTES_PER_TOKEN_LOW) + Math.ceil(otherTokens);
}

/** The best guess, for a bill without reported usage. */
export function likelyInputTokens(request: ChatRequest): number {
  const { textBytes, otherTokens } = measure(request);
  return Math.ceil(textBytes / BYTES_PER_TOKEN_TYPICAL) + Math.ceil(otherTokens);
}

export function likelyOutputTokens(outputBytes: number): number {
  return Math.ceil(outputBytes / BYTES_PER_TOKEN_TYPICAL);
}

function measure(request: ChatRequest): Size {
  const size: Size = { textBytes: 0, otherTokens: request.messages.length * TOKENS_PER_MESSAGE };
  for (const message of request.messages) addValue(message, size);
  for (const key of ['tools', 'functions', 'response_format'] as const) {
    if (request[key] !== undefined) size.textBytes += Buffer.byteLength(JSON.stringify(request[key]));
  }
  return size;
}

function addValue(value: unknown, size: Size): void {
  if (typeof value === 'string') {
    size.textBytes += Buffer.byteLength(value);
  } else if (Array.isArray(value)) {
    for (const item of value) addValue(item, size);
  } else if (typeof value === 'object' && value !== null && !addMedia(value as Record<string, unknown>, size)) {
    for (const item of Object.values(value)) addValue(item, size);
  }
}

/** Images, documents and audio are not counted by their bytes. True when `part` was one. */
function addMedia(part: Record<string, unknown>, size: Size): boolean {
  switch (part.type) {
    case 'image_url':
      size.otherTokens += TOKENS_PER_IMAGE;
      return true;
    case 'file':
      size.otherTokens += Math.max(TOKENS_PER_IMAGE, JSON.stringify(part).length * TOKENS_PER_DOCUMENT_BYTE);
      return true;
    case 'input_audio':
      size.otherTokens += JSON.stringify(part).length * TOKENS_PER_AUDIO_BYTE;
      return true;
    default:
      return false;
  }
}
