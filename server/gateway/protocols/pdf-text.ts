import type { PdfObjects } from './pdf-objects';
import { findAll, spend, WORK, type Work } from './pdf-work';

/** Counts the text that the content of a page can show. A code in a string may stand for several characters. */

/** The most tokens of each code: no tokenizer makes more than one of a byte of UTF-8. */
export type TextCodes = { single: Uint8Array; double: Uint8Array | null };

/** `drawn` counts the forms and images that are drawn. */
export type PageText = { tokens: number; drawn: number };

export const NO_TEXT: PageText = { tokens: 0, drawn: 0 };

const TO_UNICODE = /\/ToUnicode\b ?(\d{1,10} \d{1,10} R|\/[\w-]+)?/g;
const DIFFERENCES = /\/Differences\b ?(\[[^[\]]*\])?/g;
/** The most that a code without a mapping stands for: a character of another script, or a ligature. */
const LARGEST_UNMAPPED = 3;
const LARGEST_DOUBLE = 4;
const DOUBLE_CODES = 65_536;
/** A glyph that stands for several characters by its name, unless it is a ligature such as `f_f_i`. */
const LONG_GLYPH = /\/(uni[0-9A-Fa-f]{5}|(?![A-Za-z](_[A-Za-z]){1,2}\b)\w*_)/;

/** Null when a code may stand for any amount of text. */
export function readTextCodes(objects: PdfObjects, work: Work): TextCodes | null {
  const { text } = objects;
  // Text that replaces what is shown can be repeated by its name.
  if (/\/ActualText\b/.test(text) && /\/Properties\b/.test(text)) return null;
  const named = [...findAll(text, DIFFERENCES, work)].map(([, names]) => names);
  if (named.some((names) => names === undefined || LONG_GLYPH.test(names))) return null;
  const isPlain = named.length === 0 && !/\/(Symbol|ZapfDingbats|MacExpertEncoding)\b/.test(text);
  const single = new Uint8Array(256).map((_, code) => (isPlain && code < 0x80 ? 1 : LARGEST_UNMAPPED));
  const hasDouble = /\/Type0\b/.test(text);
  if (hasDouble && !spend(work, DOUBLE_CODES * WORK.code)) return null;
  const double = hasDouble ? new Uint8Array(DOUBLE_CODES) : null;
  const codes: TextCodes = { single, double };
  const cmaps = readCmaps(objects, work);
  if (cmaps === null || !cmaps.every((cmap) => addMappings(cmap, codes, work))) return null;
  if (double !== null) for (let code = 0; code < double.length; code++) double[code] ||= LARGEST_DOUBLE;
  return codes;
}

function readCmaps({ text, streams, read }: PdfObjects, work: Work): string[] | null {
  const numbers = new Set<number>();
  for (const [, value] of findAll(text, TO_UNICODE, work)) {
    if (value === undefined) return null;
    if (!value.startsWith('/')) numbers.add(Number.parseInt(value, 10));
  }
  const cmaps: string[] = [];
  for (const stream of [...numbers].flatMap((number) => streams.get(number) ?? [])) {
    const cmap = read(stream);
    if (cmap === null) return null;
    cmaps.push(cmap.toString('latin1'));
  }
  return cmaps;
}

const HEX = '<([0-9a-fA-F\\s]*)>';
/** Sticky, so that anything else that begins like a mapping ends the search. */
const CHARACTERS = new RegExp(`[^<]*${HEX}\\s*${HEX}`, 'gy');
const RANGES = new RegExp(`[^<]*${HEX}\\s*${HEX}\\s*(?:${HEX}|\\[([^\\][]*)\\])`, 'gy');
/** Longer than any ligature. */
const MAX_BYTES = 24;

/** Returns false when a mapping is unreadable, or longer than any character. */
function addMappings(cmap: string, codes: TextCodes, work: Work): boolean {
  if (cmap.includes('usecmap')) return false;
  for (const part of cmap.split('beginbf').slice(1)) {
    if (!spend(work, WORK.match)) return false;
    const isRange = part.startsWith('range');
    const section = part.split('endbf', 1)[0] ?? '';
    let end = 0;
    for (const match of findAll(section, isRange ? RANGES : CHARACTERS, work)) {
      const [mapping, first = '', second = '', third, list] = match;
      end = match.index + mapping.length;
      const last = isRange ? second : first;
      const targets = isRange ? (list?.match(/[0-9a-fA-F]+/g) ?? [third ?? '']) : [second];
      if (!addMapping(codes, [first, last], targets, work)) return false;
    }
    if (section.includes('<', end)) return false;
  }
  return true;
}

/** Counts each code of a range as the largest target. Returns false as above. */
function addMapping(
  { single, double }: TextCodes,
  range: readonly [string, string],
  targets: readonly string[],
  work: Work,
): boolean {
  const [first = '', last = ''] = range.map((code) => code.replace(/\s/g, ''));
  const table = first.length <= 2 ? single : double;
  if (first.length > 4) return false;
  // No font of this file reads two bytes.
  if (table === null) return true;
  const from = Number.parseInt(first, 16);
  const to = Math.min(Number.parseInt(last, 16), table.length - 1);
  if (Number.isNaN(to - from)) return false;
  let bytes = 1;
  for (const target of targets) {
    if (!spend(work, WORK.match + target.length * WORK.textByte)) return false;
    bytes = Math.max(bytes, countUtf8(target.replace(/\s/g, ''), to - from));
  }
  if (bytes > MAX_BYTES || !spend(work, Math.max(0, to - from) * WORK.code)) return false;
  for (let code = from; code <= to; code++) if ((table[code] ?? 0) < bytes) table[code] = bytes;
  return true;
}

/** Bytes of UTF-8 of a text in UTF-16, whose last unit may be raised by `range`. */
function countUtf8(hex: string, range: number): number {
  let bytes = 0;
  for (let at = 0; at < hex.length; at += 4) {
    const unit = Number.parseInt(hex.slice(at, at + 4), 16) + (at + 4 >= hex.length ? range : 0);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return bytes;
}

const OPEN = 0x28;
const CLOSE = 0x29;
const ESCAPE = 0x5c;
const LESS = 0x3c;
const GREATER = 0x3e;
/** A string may begin a word or a line. */
const GAP = 1;

/** The most tokens of the strings in a content stream. */
export function measureText(content: Buffer, codes: TextCodes, work: Work): PageText {
  let tokens = 0;
  spend(work, content.length * WORK.contentByte);
  for (let at = 0; at < content.length && work.left > 0; at++) {
    if (content[at] === OPEN) {
      const end = endOfString(content, at);
      spend(work, WORK.string + (end - at) * WORK.stringByte);
      tokens += GAP + countCodes(content, { from: at + 1, end }, codes);
      at = end;
    } else if (content[at] === LESS) {
      // What follows is read again: this may be no string, and contain one.
      tokens += GAP + countHex(content, at, codes, work);
    }
  }
  return { tokens: content.includes('/ActualText') ? 2 * tokens : tokens, drawn: countDrawn(content) };
}

const LETTER_D = 0x44;
const LETTER_O = 0x6f;

/** Counts `Do` wherever it appears, because what looks like a string may be none. */
function countDrawn(content: Buffer): number {
  let drawn = 0;
  for (let at = 1; at < content.length; at++) {
    if (content[at] === LETTER_O && content[at - 1] === LETTER_D) drawn++;
  }
  return drawn;
}

/** A string may be read as codes of one byte or of two. */
function countCodes(
  content: Buffer,
  { from, end }: { from: number; end: number },
  { single, double }: TextCodes,
): number {
  let ofSingle = 0;
  let ofDouble = 0;
  for (let at = from; at < end; at++) ofSingle += single[content[at] ?? 0] ?? 0;
  if (double === null) return ofSingle;
  for (let at = from; at < end; at += 2) {
    const low = at + 1 < end ? (content[at + 1] ?? 0) : 0;
    ofDouble += double[((content[at] ?? 0) << 8) | low] ?? 0;
  }
  return Math.max(ofSingle, ofDouble);
}

function endOfString(content: Buffer, open: number): number {
  let depth = 0;
  for (let at = open; at < content.length; at++) {
    const byte = content[at];
    if (byte === ESCAPE) at++;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at;
  }
  return content.length;
}

const DIGITS = new Int8Array(256).map((_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

/** Readers skip what is no digit, and add a missing one. */
function countHex(content: Buffer, open: number, { single, double }: TextCodes, work: Work): number {
  let ofSingle = 0;
  let ofDouble = 0;
  let code = 0;
  let digits = 0;
  const addByte = (): void => {
    ofSingle += single[code & 0xff] ?? 0;
    if (double !== null && digits % 4 === 0) ofDouble += double[code & 0xffff] ?? 0;
  };
  let at = open + 1;
  for (; at < content.length && content[at] !== GREATER && content[at] !== LESS; at++) {
    const digit = DIGITS[content[at] ?? 0] ?? -1;
    if (digit === -1) continue;
    code = (code << 4) | digit;
    if (++digits % 2 === 0) addByte();
  }
  spend(work, WORK.string + (at - open) * WORK.stringByte);
  if (digits % 2 === 1) {
    code <<= 4;
    digits++;
    addByte();
  }
  if (double !== null && digits % 4 === 2) ofDouble += double[(code << 8) & 0xffff] ?? 0;
  return Math.max(ofSingle, ofDouble);
}
