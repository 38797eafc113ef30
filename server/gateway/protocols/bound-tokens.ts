import { inflateRawSync } from 'node:zlib';
import source from './token-pieces.json';

/**
 * Bounds the number of tokens in a text from above, in one pass over its bytes. A real tokenizer takes
 * quadratic time on some texts, and those of most providers are not public. The text is cut greedily into
 * pieces that the public vocabularies share; every other byte counts as a token.
 *
 * A piece that fills a whole word is about one token. Within a longer word, tokenizers may cut elsewhere, so the
 * piece then counts as the most that they may make of it (`lab/tokens/worst-cuts.mjs`). `npm --prefix lab run hold-ratio`
 * compares the result with real tokenizers.
 */

/** Counts are in eighths of a token. */
export const PIECES_PER_TOKEN = 8;

const LOWER = 1;
const UPPER = 2;
/** Part of a character outside ASCII. */
const OTHER = 3;
const MARK = 4;
/** Spaces, controls and digits, 0, belong to no word. */
const KINDS = new Uint8Array(256).map((_, byte) => {
  if (byte >= 0x80) return OTHER;
  const character = String.fromCharCode(byte);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  return /[!-/:-@[-`{-~]/.test(character) ? MARK : 0;
});

/**
 * The pieces as a tree of bytes, in a hash table: `node << 8 | byte` at an even index leads to the node at the
 * next index.
 */
const SLOTS = 1 << 16;
const edges = new Int32Array(2 * SLOTS).fill(-1);
/**
 * The counts of the piece that ends at a node; 0 where none ends. The lower byte is the count within a longer
 * word, the upper one that of a whole word.
 */
const counts = new Uint16Array(SLOTS);
/** Most steps begin at the root, and need no hash. */
const first = new Int32Array(256).fill(-1);

addPieces();

/** A piece is stored as its length, its two counts and its bytes. */
function addPieces(): void {
  const bytes = inflateRawSync(Buffer.from(source.deflated, 'base64'));
  let nodes = 1;
  for (let at = 0; at < bytes.length; ) {
    const [length = 0, inWord = 0, whole = 0] = bytes.subarray(at, at + 3);
    const end = at + 3 + length;
    let node = 0;
    for (at += 3; at < end; at++) {
      const byte = bytes[at] ?? 0;
      const slot = slotOf((node << 8) | byte);
      if (edges[slot] === -1) {
        edges[slot] = (node << 8) | byte;
        edges[slot + 1] = nodes++;
        if (node === 0) first[byte] = edges[slot + 1] ?? 0;
      }
      node = edges[slot + 1] ?? 0;
    }
    counts[node] = (whole << 8) | inWord;
  }
}

/** The index of an edge, or the free one in which to put it. */
function slotOf(edge: number): number {
  let slot = (Math.imul(edge, 0x9e3779b1) >>> 16) << 1;
  for (;;) {
    const found = edges[slot];
    if (found === edge || found === -1) return slot;
    slot = (slot + 2) & (2 * SLOTS - 1);
  }
}

/**
 * A measured text: the bytes that count as a token each, and the pieces, in eighths of a token. Another
 * tokenizer may cut pieces into more tokens, but none cuts a byte. `groupedDigits` are the bytes that are no token of
 * their own where up to three digits are one.
 */
export type TextSize = { bytes: number; pieces: number; groupedDigits: number };

/** Long enough for most messages, which are then not copied. */
const scratch = Buffer.allocUnsafe(16_384);

/** Adds a text to a size, and returns its length in bytes. */
export function addTextSize(text: string, size: TextSize): number {
  // UTF-8 takes at most three bytes for each UTF-16 unit.
  const isShort = text.length * 3 <= scratch.length;
  const bytes = isShort ? scratch : Buffer.from(text);
  const length = isShort ? scratch.write(text) : bytes.length;
  for (let at = 0, before = 0; at < length; ) {
    if (isDigit(bytes[at])) {
      at = addDigits(bytes, at, length, size);
      before = 0;
      continue;
    }
    const piece = findPiece(bytes, at, length);
    let end = at + (piece & LENGTH);
    if (end - at > 1 && end < length && isIndent(bytes[end - 1]) && !isSpace(bytes[end])) end--;
    const kind = KINDS[bytes[end - 1] ?? 0] ?? 0;
    if (piece <= LENGTH) size.bytes += countBytes(bytes, at, end);
    else {
      const isWhole =
        !isWithin(before, KINDS[bytes[at] ?? 0] ?? 0) &&
        (end === length || !isWithin(kind, KINDS[bytes[end] ?? 0] ?? 0));
      size.pieces += isWhole ? piece >> 16 : (piece >> 8) & 0xff;
      if (before === MARK && bytes[at] === NEWLINE && end - at > 2) size.bytes++;
    }
    before = kind;
    at = end;
  }
  return length;
}

/** Returns the end of the digits. Next to other characters, such as Arabic digits, they may be grouped in another way. */
function addDigits(bytes: Uint8Array, at: number, length: number, size: TextSize): number {
  let end = at + 1;
  while (end < length && isDigit(bytes[end])) end++;
  size.bytes += end - at;
  const isAlone = !isOther(at > 0 ? bytes[at - 1] : 0) && !isOther(end < length ? bytes[end] : 0);
  if (isAlone) size.groupedDigits += end - at - Math.ceil((end - at) / 3);
  return end;
}

const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39;
const isOther = (byte = 0): boolean => byte >= 0x80;

const BLANK = 0x20;
const TAB = 0x09;
/** Tokenizers join marks to the newlines that follow: three or more are then cut elsewhere, into one token more. */
const NEWLINE = 0x0a;

/** Tokenizers move the last of several blanks or tabs to the next word, which may then be rare. */
const isIndent = (byte = 0): boolean => byte === BLANK || byte === TAB;
const isSpace = (byte = 0): boolean => byte === BLANK || (byte >= TAB && byte <= 0x0d);

/** The mask of a piece's length; the bits above it hold the piece's counts. */
const LENGTH = 0xff;

/**
 * The longest piece at this place, or one byte. A piece neither ends nor begins within a character of four
 * bytes: tokenizers cut those in different places.
 */
function findPiece(bytes: Uint8Array, at: number, length: number): number {
  let found = 1;
  while (cutsLongCharacter(bytes, at + found, length)) found++;
  let node = first[bytes[at] ?? 0] ?? -1;
  for (let next = at + 1; node !== -1 && next < length; next++) {
    const slot = slotOf((node << 8) | (bytes[next] ?? 0));
    if (edges[slot] === -1) break;
    node = edges[slot + 1] ?? 0;
    const count = counts[node] ?? 0;
    if (count !== 0 && !cutsLongCharacter(bytes, next + 1, length)) found = (count << 8) | (next + 1 - at);
  }
  return found;
}

/** Whether two neighbouring bytes are within one word: `getItem` is two. */
function isWithin(before: number, after: number): boolean {
  if (before === MARK || after === MARK) return before === after;
  return before !== 0 && after !== 0 && !(before === LOWER && after === UPPER);
}

function cutsLongCharacter(bytes: Uint8Array, at: number, length: number): boolean {
  let start = at;
  while (start < length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start < at && (bytes[start] ?? 0) >= 0xf0;
}

/** Some tokenizers write a ligature out first: U+FDFA is eighteen letters in three bytes. */
function countBytes(bytes: Uint8Array, at: number, end: number): number {
  return end - at + (bytes[at] === 0xef && bytes[at + 1] === 0xb7 ? 17 : 0);
}
