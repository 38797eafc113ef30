import { setImmediate as letOthersRun } from 'node:timers/promises';
import { measureAudio } from './audio-length/audio-length';
import { UnreadableAudio } from './audio-length/measured-audio';
import { addTextSize, PIECES_PER_TOKEN, type TextSize } from './bound-tokens';
import { countCharacters } from './count-characters';
import { readImageSize } from './image-size';
import { isUnambiguous, parseDataUrl } from './media';
import type { ShownImage, ShownMedia } from './neutral';
import { measurePdf } from './pdf-size';
import { newWork, type Work } from './pdf-work';
import { asObject, asText, isObject } from './read-fields';

/**
 * Measures a request before it is sent: an upper bound of its tokens for the hold, and a likely number, which
 * is still rather high, for a charge without reported usage.
 */

/** The tokenizer: OpenAI's own, which groups digits; that of others in its format; and Claude's, whose tokens are smaller. */
export type TokenKind = 'o200k' | 'openai' | 'anthropic';

/** Media are separate, because each model counts them differently. */
export type InputSize = { largestInputTokens: number; likelyInputTokens: number; media: ShownMedia };

/** Tokens, unless the name says otherwise. Those without a source are above everything that was measured. */
const BOUNDS = {
  /**
   * Per piece of text, relative to OpenAI's. Anthropic documents 30% more for its current models than for earlier
   * ones; in noise, each byte of a short piece may then be a token.
   */
  largestPerPiece: { o200k: 1.1, openai: 1.1, anthropic: 2 },
  likelyPerPiece: { o200k: 1, openai: 1, anthropic: 1.2 },
  likelyBytesPerToken: 3,
  likelyOutputBytesPerToken: { o200k: 4, openai: 4, anthropic: 3 },
  message: 8,
  /** The longest text that is added to a message, such as the note above a later system message. */
  note: 16,
  /** The maximum that a provider adds to the prompt for tools, and for each of its built-in tools. */
  tools: 1_000,
  knownTool: 750,
  /** The instructions to search and to cite: some 2,000 for Claude Sonnet 4. */
  searchTool: 3_000,
  /** Around the schema of each tool, where calls are written by a schema, and of the instruction. */
  call: 150,
  /** JSON writes a control character as six. */
  bytesPerEscape: 6,
} as const;

/** The rest of a longer text counts as a token per byte, so that measuring takes milliseconds. */
const MAX_READ_BYTES = 1_000_000;
/** Others run after each document and each of these characters. */
const CHARACTERS_AT_ONCE = 4_000_000;

const CLIENT_TOOLS = new Set<unknown>([undefined, null, 'function', 'custom']);

/** May contain anything that fits into the context window. */
const UNKNOWN_DOCUMENT = { pages: 1, textTokens: Number.POSITIVE_INFINITY };

type Size = TextSize & {
  readBytes: number;
  /** The rest of texts, whose bytes are counted later: counting 30 MB takes 20 ms. */
  unread: string[];
  /** The characters of JSON that is not read. */
  unreadJson: number;
  otherTokens: number;
  images: ShownImage[];
  documents: (string | null)[];
  recordings: string[];
};

/** What the model reads next to the messages. A schema for the output may be sent as a tool. */
export type MeasuredOptions = {
  tools: readonly unknown[];
  toolChoice?: unknown;
  /** A call is forced: Claude may receive the tools as the schema of the output, too. */
  forcesTool?: boolean;
  output: readonly unknown[];
};

/** The tokens that a provider has counted of the first elements: the options, and then each message. */
export type CountedPart = { elements: number; tokens: number };
export const NOTHING_COUNTED: CountedPart = { elements: 0, tokens: 0 };

type LaterSize = Omit<ShownMedia, 'images'> & { unreadBytes: number };
export const NO_DOCUMENTS: LaterSize = { pages: 0, documentTokens: 0, recordings: [], unreadBytes: 0 };

/** What takes long is measured later: documents, recordings and long texts. Null is a document that only the provider can fetch. */
export type Measured = {
  documents: readonly (string | null)[];
  /** In base64. */
  recordings?: readonly string[];
  unread: readonly string[];
  sizeOf: (kind: TokenKind, later: LaterSize) => InputSize;
  media: MediaSource;
  /** Measures a document; by default its pages and their text. */
  measureDocument?: typeof measurePdf;
};

/** Where the images and documents are: in the request, or where only the provider fetches them. */
export type MediaSource = 'none' | 'contained' | 'fetched';

export function measureInput(
  messages: readonly unknown[],
  options: MeasuredOptions,
  counted: CountedPart = NOTHING_COUNTED,
): Measured {
  const size = newSize(counted.tokens);
  const rest = messages.slice(Math.max(0, counted.elements - 1));
  size.otherTokens += rest.length * BOUNDS.message;
  for (const message of rest) addMessage(message, size);
  const { added, repeated } = addOptions(counted.elements === 0 ? options : loadableOptions(options), size);
  const { images, documents, recordings, unread, unreadJson } = size;
  const sizeOf: Measured['sizeOf'] = (kind, { unreadBytes, ...ofDocuments }) => ({
    largestInputTokens:
      countTokens(size, BOUNDS.largestPerPiece[kind]) -
      (kind === 'o200k' ? size.groupedDigits : 0) +
      unreadBytes +
      BOUNDS.bytesPerEscape * unreadJson +
      added +
      (kind === 'anthropic' ? repeated : 0),
    likelyInputTokens:
      countTokens(size, BOUNDS.likelyPerPiece[kind]) +
      Math.ceil((unreadBytes + unreadJson) / BOUNDS.likelyBytesPerToken),
    media: { images, ...ofDocuments },
  });
  return { documents, recordings, unread, sizeOf, media: findMedia(size) };
}

/** The count of a prompt does not show which of its tokens are audio, so it says nothing about the next prompt. */
function findMedia({ images, documents, recordings }: Size): MediaSource {
  if (recordings.length > 0) return 'fetched';
  if (images.length + documents.length === 0) return 'none';
  const isContained = images.every(({ size }) => size !== null) && !documents.includes(null);
  return isContained ? 'contained' : 'fetched';
}

/** The tokens that the provider adds for tools, and those of their schemas where Claude reads them twice. */
type AddedTokens = { added: number; repeated: number };

/** What may have been counted without its text: the model reads a deferred tool only once a message refers to it. */
const loadableOptions = ({ tools, forcesTool = false }: MeasuredOptions): MeasuredOptions => ({
  tools: tools.filter((tool) => asObject(tool).defer_loading === true),
  forcesTool,
  output: [],
});

function addOptions(
  { tools, toolChoice, forcesTool = false, output }: MeasuredOptions,
  size: Size,
): AddedTokens {
  for (const tool of tools) addJson(tool, size);
  if (toolChoice !== undefined && toolChoice !== null) addJson(toolChoice, size);
  const formats = output.filter((format) => format !== undefined && format !== null).map(asObject);
  for (const format of formats) addJson(format, size);
  size.otherTokens += formats.length * BOUNDS.note;
  const hasTools = tools.length > 0 || formats.some(hasSchema);
  return {
    added: hasTools ? BOUNDS.tools + knownToolTokens(tools) : 0,
    repeated: forcesTool ? countToolSchemas(tools) : 0,
  };
}

const newSize = (otherTokens: number): Size => ({
  bytes: 0,
  pieces: 0,
  groupedDigits: 0,
  readBytes: 0,
  unread: [],
  unreadJson: 0,
  otherTokens,
  images: [],
  documents: [],
  recordings: [],
});

/** The most tokens of the schema by which Claude writes a call of one of these tools. */
function countToolSchemas(tools: readonly unknown[]): number {
  const size = newSize(BOUNDS.call * (tools.length + 1));
  for (const tool of tools) addJson(tool, size);
  const unread = size.unread.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return (
    countTokens(size, BOUNDS.largestPerPiece.anthropic) + unread + BOUNDS.bytesPerEscape * size.unreadJson
  );
}

function countTokens({ bytes, pieces, otherTokens }: Size, perPiece: number): number {
  return Math.ceil(bytes * Math.min(1, perPiece) + (pieces / PIECES_PER_TOKEN) * perPiece + otherTokens);
}

const hasSchema = ({ type, format }: Record<string, unknown>): boolean =>
  type === 'json_schema' || isObject(format);

function knownToolTokens(tools: readonly unknown[]): number {
  const types = tools.map((tool) => asObject(tool).type).filter((type) => !CLIENT_TOOLS.has(type));
  return types.reduce((sum: number, type) => sum + tokensOfKnownTool(asText(type)), 0);
}

const tokensOfKnownTool = (type: string): number =>
  type.startsWith('web_search') ? BOUNDS.searchTool : BOUNDS.knownTool;

/** The most tokens of a text at a provider of OpenAI's format. */
export function largestTokens(text: string): number {
  const size = newSize(0);
  addTextSize(text, size);
  return countTokens(size, BOUNDS.largestPerPiece.openai);
}

/** The most likely number of output tokens, for a charge without reported usage. */
export function likelyOutputTokens(outputBytes: number, kind: TokenKind = 'openai'): number {
  return Math.ceil(outputBytes / BOUNDS.likelyOutputBytesPerToken[kind]);
}

/** A message, or only its content. */
function addMessage(message: unknown, size: Size): void {
  if (!isObject(message)) return addContent(message, size);
  const { content, ...rest } = message;
  if (message.role !== 'user') size.otherTokens += BOUNDS.note;
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
  if (typeof value === 'string') addString(value, size);
  else if (typeof value === 'number') size.bytes += String(value).length;
  else if (Array.isArray(value)) {
    size.bytes += value.length;
    for (const item of value) addText(item, size);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      addText(name, size);
      addText(item, size);
      if (name === 'arguments' && typeof item === 'string') size.bytes += writtenOutBytes(item);
    }
  } else if (value !== undefined) addString(String(value), size);
}

/** A number with an exponent, where JSON has numbers: an id may contain the same characters. */
const EXPONENT = /(?<![^:[,\s])-?\d[\d.]*[eE][+-]?\d+/g;

/** How many bytes longer JSON in a text gets when it is parsed and written again: 9e20 has 21 digits then. */
function writtenOutBytes(json: string): number {
  const growth = (number: string): number => Math.max(0, String(Number(number)).length - number.length);
  return (json.match(EXPONENT) ?? []).reduce((bytes, number) => bytes + growth(number), 0);
}

function addString(text: string, size: Size): void {
  const read = text.slice(0, Math.max(0, MAX_READ_BYTES - size.readBytes));
  size.readBytes += addTextSize(read, size);
  if (read.length < text.length) size.unread.push(text.slice(read.length));
}

/** More than what is read is held for without being written: that would take 100 ms. */
function addJson(value: unknown, size: Size): void {
  const length = countCharacters(value);
  if (length <= MAX_READ_BYTES - size.readBytes) return addString(JSON.stringify(value) ?? '', size);
  size.unreadJson += length;
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
      const { type, data } = asObject(part.source);
      if (isObject(part.source) && type !== 'base64' && type !== 'url') return null;
      size.documents.push(type === 'url' ? null : asText(data));
      return 'source';
    }
    case 'file': {
      const data = asText(asObject(part.file).file_data);
      size.documents.push(parseDataUrl(data)?.data ?? data);
      addText(asObject(part.file).filename, size);
      return 'file';
    }
    case 'input_image':
      size.images.push(showImageUrl({ url: part.image_url, detail: part.detail }));
      return 'image_url';
    case 'input_file': {
      const data = asText(part.file_data);
      size.documents.push(part.file_url == null ? (parseDataUrl(data)?.data ?? data) : null);
      return 'file_data';
    }
    case 'input_audio':
      size.recordings.push(asText(asObject(part.input_audio).data));
      return 'input_audio';
    default:
      return null;
  }
}

/** The size in tokens of one kind. */
export type Measure = (kind: TokenKind) => InputSize;

/** Measures recordings, and documents, which share the work, also of several requests, and counts the bytes of long texts. */
export async function measureDocuments(
  { documents, recordings = [], unread, sizeOf, measureDocument = measurePdf }: Measured,
  shared: Work = newWork(),
): Promise<Measure> {
  const sum = { ...NO_DOCUMENTS };
  let atOnce = CHARACTERS_AT_ONCE;
  for (const text of unread) {
    if (atOnce >= CHARACTERS_AT_ONCE) {
      await letOthersRun();
      atOnce = 0;
    }
    atOnce += text.length;
    sum.unreadBytes += Buffer.byteLength(text);
  }
  const work = newWork();
  work.left = Math.min(work.left, shared.left);
  shared.left -= work.left;
  for (const base64 of documents) {
    const isRead = base64 !== null && work.left > 0 && isUnambiguous(base64);
    const { pages, textTokens } = (isRead ? measureDocument(base64, work) : null) ?? UNKNOWN_DOCUMENT;
    sum.pages += pages;
    sum.documentTokens += textTokens;
    if (isRead) await letOthersRun();
  }
  shared.left += Math.max(0, work.left);
  const lengths: number[] = [];
  for (const base64 of recordings) {
    lengths.push(measureRecording(base64));
    await letOthersRun();
  }
  return (kind) => sizeOf(kind, { ...sum, recordings: lengths });
}

/** In seconds. One that cannot be read may fill the context window, like such a document. */
function measureRecording(base64: string): number {
  if (!isUnambiguous(base64)) return Number.POSITIVE_INFINITY;
  try {
    return measureAudio(Buffer.from(base64, 'base64')).mostSeconds;
  } catch (error) {
    if (error instanceof UnreadableAudio) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function showImageUrl(image: unknown): ShownImage {
  const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
  return {
    size: readImageSize(parseDataUrl(asText(url))?.data ?? ''),
    isLowDetail: detail === 'low',
  };
}
