import { inflateSync } from 'node:zlib';
import { findAll, spend, WORK, type Work } from './pdf-work';

/** Reads the objects of a PDF, as far as a bound of its text needs them. Distrusts what the file says of itself. */

export type PdfObjects = {
  /** Every object outside streams, with names written out. */
  text: string;
  streams: ReadonlyMap<number, readonly Stream[]>;
  /** Returns null when the stream cannot be read. */
  read: (stream: Stream) => Buffer | null;
};
type Stream = { dictionary: string; begin: number; end: number };

const BEGINNING_BYTES = 1_024;

/** Null when the file is not a PDF, is encrypted, or takes more work than is left. */
export function readPdfObjects(base64: string, work: Work): PdfObjects | null {
  if (!spend(work, WORK.document + base64.length * WORK.fileByte)) return null;
  const file = Buffer.from(base64, 'base64');
  if (!file.subarray(0, BEGINNING_BYTES).includes('%PDF')) return null;
  const split = splitStreams(file, work);
  if (split === null) return null;
  const streams = new Map<number, Stream[]>();
  const read: PdfObjects['read'] = (stream) => readStream(file, stream, work);
  let text = split.text;
  for (const [number, stream] of split.streams) {
    const known = streams.get(number);
    if (known === undefined) streams.set(number, [stream]);
    else known.push(stream);
    text += ` ${stream.dictionary} `;
  }
  if (/\/Encrypt\b/.test(text)) return null;
  for (const stream of [...streams.values()].flat()) {
    if (!/\/ObjStm\b/.test(stream.dictionary)) continue;
    const packed = read(stream);
    if (packed === null || !spend(work, packed.length * WORK.textByte)) return null;
    if (redefines(packed, streams, work)) return null;
    text += ` ${normalize(packed.toString('latin1'))} `;
  }
  return { text, streams, read };
}

/** The last header before a dictionary, and nothing between them. */
const HEADER = /(\d{1,10}) \d{1,10} obj$/;
const DICTIONARY = /^obj ?<</;
/** A header is not longer than this. */
const HEADER_LENGTH = 24;
const CR = 13;
const LF = 10;

/** Separates the streams, each by the number of its object, from the text between them. */
function splitStreams(file: Buffer, work: Work): { text: string; streams: [number, Stream][] } | null {
  const streams: [number, Stream][] = [];
  const texts: string[] = [];
  let from = 0;
  const isPlain = stringReader(file);
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', from)) {
    if (!spend(work, WORK.stream + (at - from) * WORK.textByte)) return null;
    const before = file.toString('latin1', from, at);
    texts.push(before);
    const isOutside = isPlain(from, at);
    if (isOutside === null) return null;
    from = at + 'stream'.length;
    const begin = from + (file[from] === CR ? 1 : 0);
    const isLine = file[begin] === LF || begin > from;
    const named = before.lastIndexOf('obj');
    const header = normalize(before.slice(Math.max(0, named - HEADER_LENGTH), named + 'obj'.length));
    const dictionary = normalize(before.slice(Math.max(0, named)));
    const number = HEADER.exec(header)?.[1];
    if (number === undefined || !DICTIONARY.test(dictionary) || !dictionary.trimEnd().endsWith('>>')) {
      if (isLine) return null;
      continue;
    }
    if (!isOutside) return null;
    const end = file.indexOf('endstream', begin);
    const stream = {
      dictionary,
      begin: begin + (file[begin] === LF ? 1 : 0),
      end: end === -1 ? file.length : end,
    };
    streams.push([Number(number), stream]);
    from = end === -1 ? file.length : end + 'endstream'.length;
  }
  if (!spend(work, (file.length - from) * WORK.textByte)) return null;
  texts.push(file.toString('latin1', from));
  return { text: normalize(texts.join('\n')), streams };
}

const OPEN = 0x28;
const CLOSE = 0x29;
const ESCAPE = 0x5c;
const PERCENT = 0x25;
const OBJ = [0x6f, 0x62, 0x6a] as const;
const isLetter = (byte = 0): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

/**
 * Returns a function that reads the next bytes, and returns whether they end outside strings and comments. Null
 * when a header is inside one: what is an object to us would be none to decoders, or the reverse.
 */
function stringReader(file: Buffer): (from: number, to: number) => boolean | null {
  let depth = 0;
  let isComment = false;
  const isHeader = (at: number): boolean =>
    file[at] === OBJ[2] &&
    file[at - 1] === OBJ[1] &&
    file[at - 2] === OBJ[0] &&
    !isLetter(file[at - 3]) &&
    !isLetter(file[at + 1]);
  return (from, to) => {
    for (let at = from; at < to; at++) {
      const byte = file[at];
      if ((isComment || depth > 0) && isHeader(at)) return null;
      if (isComment) isComment = byte !== CR && byte !== LF;
      else if (byte === OPEN) depth++;
      else if (byte === CLOSE) depth--;
      else if (byte === ESCAPE && depth > 0) at++;
      else if (byte === PERCENT) isComment = depth === 0;
      if (depth < 0) return null;
    }
    return depth === 0 && !isComment;
  };
}

const BLANKS = new Uint8Array(256).map((_, byte) => (/[\s\0]/.test(String.fromCharCode(byte)) ? 1 : 0));
const NO_DIGIT = 16;
const DIGITS = new Uint8Array(256).map((_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? NO_DIGIT : digit;
});
const SPACE = 0x20;
const HASH = 0x23;

/**
 * Any character of a name may be written as `#` and its code, and any blank as several. A replacement by a
 * function takes ten times as long.
 */
function normalize(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  let wasBlank = false;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] as number;
    if (byte === HASH) {
      const high = DIGITS[bytes[at + 1] ?? 0] as number;
      const low = DIGITS[bytes[at + 2] ?? 0] as number;
      if (high < NO_DIGIT && low < NO_DIGIT) {
        byte = (high << 4) | low;
        at += 2;
      }
    }
    const isBlank = BLANKS[byte] === 1;
    if (!isBlank || !wasBlank) bytes[length++] = isBlank ? SPACE : byte;
    wasBlank = isBlank;
  }
  return bytes.toString('latin1', 0, length);
}

/** The numbers of the objects in a list of references. Null when it contains anything else. */
export function readReferences(list: string, work: Work): number[] | null {
  const numbers: number[] = [];
  let end = 0;
  spend(work, WORK.match);
  for (const { index, 0: reference, 1: number } of findAll(list, REFERENCE, work)) {
    numbers.push(Number(number));
    end = index + reference.length;
  }
  return /^[[\] ]*$/.test(list.slice(end)) ? numbers : null;
}
/** Sticky, so that anything between two references ends the search. */
const REFERENCE = /[[\] ]*(\d{1,10}) \d{1,10} R/gy;

/** Whether an object stream contains an object that is also written as a stream. */
function redefines(packed: Buffer, streams: ReadonlyMap<number, unknown>, work: Work): boolean {
  const pairs = /^[\d\s]*/.exec(packed.toString('latin1'))?.[0] ?? '';
  for (const [, number] of findAll(pairs, /(\d+)\s*\d*/g, work)) if (streams.has(Number(number))) return true;
  return false;
}

const FILTER = /\/Filter\b ?(\[[^[\]]*\]|\/\w+)?/g;

function readStream(file: Buffer, { dictionary, begin, end }: Stream, work: Work): Buffer | null {
  if (!spend(work, WORK.read + dictionary.length * WORK.textByte)) return null;
  const filters = [...findAll(dictionary, FILTER, work)].map(([, names]) => names);
  if (filters.length > 1 || (filters.length === 1 && filters[0] === undefined)) return null;
  // A predictor changes the bytes after they were decompressed.
  if (/\/Predictor (?!1\b)/.test(dictionary) || /\/(F|FFilter)[ (<]/.test(dictionary)) return null;
  const names = (filters[0] ?? '').match(/\w+/g) ?? [];
  const isDeflated = names.at(-1) === 'FlateDecode' && names.length === 1;
  let bytes: Buffer | null = file.subarray(begin, isDeflated ? undefined : end);
  for (const name of names) bytes = bytes === null ? null : decode(name, bytes, work);
  return bytes;
}

function decode(filter: string, bytes: Buffer, work: Work): Buffer | null {
  switch (filter) {
    case 'FlateDecode':
      return inflate(bytes, work);
    case 'ASCII85Decode':
      return spend(work, WORK.read + bytes.length * WORK.base85Byte) ? decodeBase85(bytes) : null;
    default:
      return null;
  }
}

function inflate(bytes: Buffer, work: Work): Buffer | null {
  const maxOutputLength = Math.floor((work.left - WORK.read) / WORK.inflatedByte);
  if (maxOutputLength <= 0) return null;
  try {
    const inflated = inflateSync(bytes, { maxOutputLength });
    spend(work, WORK.read + inflated.length * WORK.inflatedByte);
    return inflated;
  } catch {
    // Nobody knows how much was inflated before.
    work.left = 0;
    return null;
  }
}

/** Five characters are four bytes, and a `z` is four zeros. */
function decodeBase85(bytes: Buffer): Buffer {
  const decoded = Buffer.alloc(bytes.length * 4);
  let length = 0;
  let value = 0;
  let digits = 0;
  const flush = (count: number): void => {
    // A call of `writeUInt32BE` takes five times as long.
    for (let shift = 24, at = length; shift >= 0; shift -= 8) decoded[at++] = value >>> shift;
    length += count;
    value = 0;
    digits = 0;
  };
  for (const byte of bytes) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && digits === 0) flush(4);
    else if (byte >= 0x21 && byte <= 0x75) {
      value = value * 85 + byte - 0x21;
      if (++digits === 5) flush(4);
    }
  }
  const last = digits;
  while (digits > 0 && digits < 5) {
    value = value * 85 + 84;
    digits++;
  }
  if (last > 1) flush(last - 1);
  return decoded.subarray(0, length);
}

const CONTENTS = /\/Contents\b ?(\[[^[\]]*\]|\d{1,10} \d{1,10} R|[(<])?/g;
/** An object that is a list, possibly after a comment. Looks back from its word, which is found faster. */
const LIST = / obj(?<=(\d{1,10}) \d{1,10} obj) ?[[%]/g;

/**
 * The streams that can contain text: those of the pages, each as often as it is used, and the forms that they
 * draw. Null when one cannot be found or read.
 */
export function contentStreams(
  objects: PdfObjects,
  work: Work,
): { contents: Buffer[]; forms: Set<Buffer> } | null {
  const { text, streams, read } = objects;
  const lists = new Set([...findAll(text, LIST, work)].map(([, number]) => Number(number)));
  const known = new Map<Stream, Buffer | null>();
  const readOnce = (stream: Stream): Buffer | null => {
    const bytes = known.has(stream) ? (known.get(stream) ?? null) : read(stream);
    known.set(stream, bytes);
    return bytes;
  };
  const contents: Buffer[] = [];
  for (const [, value] of findAll(text, CONTENTS, work)) {
    // The text of an annotation.
    if (value === '(' || value === '<') continue;
    const numbers = value === undefined ? null : readReferences(value, work);
    if (numbers === null) return null;
    for (const number of numbers) {
      const found = streams.get(number);
      if (found === undefined || lists.has(number)) return null;
      for (const stream of found) {
        const bytes = readOnce(stream);
        if (bytes === null || !spend(work, WORK.use)) return null;
        contents.push(bytes);
      }
    }
  }
  const forms = new Set<Buffer>();
  const drawn = readDrawn(text, work);
  if (drawn === null) return null;
  for (const [number, found] of streams) {
    for (const stream of found) {
      const { dictionary } = stream;
      if (UNKNOWN_SUBTYPE.test(dictionary)) return null;
      if (!/\/Form\b/.test(dictionary) && (!drawn.has(number) || isImage(dictionary))) continue;
      const bytes = readOnce(stream);
      if (bytes === null) return null;
      forms.add(bytes);
    }
  }
  return { contents, forms };
}

const UNKNOWN_SUBTYPE = /\/Subtype\b(?! ?\/\w)/;
/** As a key, or as the value of `Type`. */
const XOBJECT = /\/XObject\b ?(<<[^<>]*>>|\d{1,10} \d{1,10} R|\/|>>)?/g;
const REFERENCES_ONLY = /<<(?: ?\/[^ /<>()[\]]* \d{1,10} \d{1,10} R)+ ?>>/g;

/** The numbers of the objects that pages may draw. Some readers draw all but images. Null when one is unknown. */
function readDrawn(text: string, work: Work): Set<number> | null {
  const drawn = new Set<number>();
  let isElsewhere = false;
  const add = (names: string): boolean => {
    const numbers = readReferences(names.slice(2, -2).replace(/\/[^ /]*/g, ' '), work);
    for (const number of numbers ?? []) drawn.add(number);
    return numbers !== null;
  };
  for (const [, value] of findAll(text, XOBJECT, work)) {
    if (value === undefined) return null;
    if (value.endsWith('R')) isElsewhere = true;
    else if (value.startsWith('<<') && !add(value)) return null;
  }
  if (isElsewhere) for (const [names] of findAll(text, REFERENCES_ONLY, work)) add(names);
  return drawn;
}

/** Whether the dictionary itself says so, and no other in it. */
function isImage(dictionary: string): boolean {
  const own = dictionary.slice(dictionary.indexOf('<<') + 2).replace(/<<[^<>]*>>/g, '');
  return /^[^(<%]*\/Subtype ?\/Image\b/.test(own);
}
