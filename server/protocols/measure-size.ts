import { readImageSize } from './image-size';
import { parseDataUrl } from './media';
import type { ShownImage, ShownMedia } from './neutral';
import { countPdfPages } from './pdf-pages';
import { asObject, asText, isObject } from './read-fields';

/**
 * Estimates tokens from bytes alone. A tokenizer over raw request text can block the process for seconds. The
 * byte ratios deviate in a known direction: high for the hold, typical for an estimated charge.
 */

/** The tokenizer: tokens of current Claude models are smaller. */
export type TokenKind = 'openai' | 'anthropic';

/** Media are separate, because each model counts them differently. */
export type InputSize = { largestInputTokens: number; likelyInputTokens: number; media: ShownMedia };

const BYTES_PER_TOKEN_LOW = { openai: 3, anthropic: 2.2 };
const BYTES_PER_TOKEN_TYPICAL = { openai: 4, anthropic: 3 };
/** Used for documents whose pages cannot be counted. Few pages are smaller than this in base64. */
const BYTES_PER_PAGE = 20_000;
/** A document given by URL may have any size. */
const PAGES_OF_UNSEEN_DOCUMENT = 100;
const TOKENS_PER_AUDIO_BYTE = 50 / 8_000;
const TOKENS_PER_MESSAGE = 8;
/** The maximum that a provider adds to the prompt for tools, and for each of its built-in tools. */
const TOKENS_OF_TOOLS = 600;
const TOKENS_OF_KNOWN_TOOL = 750;

const CLIENT_TOOLS = new Set<unknown>([undefined, null, 'function', 'custom']);

type Size = { textBytes: number; otherTokens: number; images: ShownImage[]; pages: number };

/** `messages` and everything else that the model reads: tools, schemas. */
export function measureInput(
  messages: readonly unknown[],
  { tools, rest }: { tools: readonly unknown[]; rest: readonly unknown[] },
  kind: TokenKind,
): InputSize {
  const size: Size = {
    textBytes: 0,
    otherTokens: messages.length * TOKENS_PER_MESSAGE,
    images: [],
    pages: 0,
  };
  for (const message of messages) addMessage(message, size);
  for (const tool of tools) addJson(tool, size);
  for (const value of rest) {
    if (value !== undefined && value !== null) addJson(value, size);
  }
  const other = Math.ceil(size.otherTokens);
  return {
    largestInputTokens: Math.ceil(size.textBytes / BYTES_PER_TOKEN_LOW[kind]) + other + toolTokens(tools),
    likelyInputTokens: Math.ceil(size.textBytes / BYTES_PER_TOKEN_TYPICAL[kind]) + other,
    media: { images: size.images, pages: size.pages },
  };
}

function toolTokens(tools: readonly unknown[]): number {
  if (tools.length === 0) return 0;
  const known = tools.filter((tool) => !CLIENT_TOOLS.has(asObject(tool).type));
  return TOKENS_OF_TOOLS + TOKENS_OF_KNOWN_TOOL * known.length;
}

/** The most likely number of output tokens, for a charge without reported usage. */
export function likelyOutputTokens(outputBytes: number, kind: TokenKind = 'openai'): number {
  return Math.ceil(outputBytes / BYTES_PER_TOKEN_TYPICAL[kind]);
}

/** A message, or only its content. */
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

/** Counts everything in a part except its media by its bytes. */
function addPart(part: Record<string, unknown>, size: Size): void {
  const mediaField = addMedia(part, size);
  for (const [name, value] of Object.entries(part)) {
    if (name === mediaField) continue;
    if (name === 'content') addContent(value, size);
    else if (name === 'source' && isObject(value)) addMessage(value, size);
    // The model sees the arguments of a call as JSON.
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

/** Adds an image, a document or audio. Returns the field of the part that holds it, or null. */
function addMedia(part: Record<string, unknown>, size: Size): string | null {
  switch (part.type) {
    case 'image_url':
      size.images.push(showImageUrl(part.image_url));
      return 'image_url';
    case 'image':
      size.images.push({ size: readImageSize(asText(asObject(part.source).data)), isLowDetail: false });
      return 'source';
    case 'document': {
      const { type } = asObject(part.source);
      if (isObject(part.source) && type !== 'base64' && type !== 'url') return null;
      size.pages +=
        type === 'url' ? PAGES_OF_UNSEEN_DOCUMENT : countPages(asText(asObject(part.source).data));
      return 'source';
    }
    case 'file': {
      const data = asText(asObject(part.file).file_data);
      size.pages += isAddress(data) ? PAGES_OF_UNSEEN_DOCUMENT : countPages(parseDataUrl(data)?.data ?? data);
      return 'file';
    }
    case 'input_audio':
      size.otherTokens += JSON.stringify(part).length * TOKENS_PER_AUDIO_BYTE;
      return 'input_audio';
    default:
      return null;
  }
}

const isAddress = (data: string): boolean => /^https?:/i.test(data.slice(0, 8));

function showImageUrl(image: unknown): ShownImage {
  const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
  return {
    size: readImageSize(parseDataUrl(asText(url))?.data ?? ''),
    isLowDetail: detail === 'low',
  };
}

const countPages = (base64: string): number =>
  countPdfPages(base64) ?? Math.max(1, base64.length / BYTES_PER_PAGE);
