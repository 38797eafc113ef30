import { inflateSync } from 'node:zlib';

/** Reads the objects of a PDF, as far as a bound of its text needs them. Distrusts what the file says of itself. */

export type PdfObjects = {
  /** Every object outside streams, with names written out. */
  text: string;
  streams: ReadonlyMap<number, readonly Stream[]>;
  /** Returns null when the stream cannot be read. */
  read: (stream: Stream) => Buffer | null;
  /** The bytes that had to be read: a measure of the time it took. */
  bytesRead: () => number;
};
type Stream = { dictionary: string; begin: number; end: number };

const BEGINNING_BYTES = 1_024;
/** Limits that keep the work below some 30 ms per file. */
const MAX_TEXT = 2_000_000;
const MAX_INFLATED = 4_000_000;
const MAX_STREAMS = 10_000;
const MAX_READ_STREAMS = 1_000;

/** Null when the file is not a PDF, is encrypted, or exceeds a limit. */
export function readPdfObjects(base64: string): PdfObjects | null {
  const file = Buffer.from(base64, 'base64');
  if (!file.subarray(0, BEGINNING_BYTES).includes('%PDF')) return null;
  const split = splitStreams(file);
  if (split === null) return null;
  const streams = new Map<number, Stream[]>();
  const { read, bytesRead } = streamReader(file);
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
    if (packed === null || redefines(packed, streams)) return null;
    text += ` ${normalize(packed.toString('latin1'))} `;
    if (text.length > MAX_TEXT) return null;
  }
  return { text, streams, read, bytesRead: () => text.length + bytesRead() };
}

const HEADER = /(\d{1,10}) \d{1,10} obj/;
/** A header is not longer than this. */
const HEADER_LENGTH = 24;
const CR = 13;
const LF = 10;

/** Separates the streams, each by the number of its object, from the text between them. */
function splitStreams(file: Buffer): { text: string; streams: [number, Stream][] } | null {
  const streams: [number, Stream][] = [];
  const texts: string[] = [];
  let length = 0;
  let from = 0;
  let words = 0;
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', from)) {
    length += at - from;
    if (length > MAX_TEXT || ++words > MAX_STREAMS) return null;
    const before = file.toString('latin1', from, at);
    texts.push(before);
    from = at + 'stream'.length;
    const begin = from + (file[from] === CR ? 1 : 0);
    const isLine = file[begin] === LF || begin > from;
    const dictionary = normalize(before.slice(Math.max(0, before.lastIndexOf('obj') - HEADER_LENGTH)));
    const number = HEADER.exec(dictionary)?.[1];
    if (number === undefined || !dictionary.trimEnd().endsWith('>>')) {
      if (isLine) return null;
      continue;
    }
    const end = file.indexOf('endstream', begin);
    const stream = {
      dictionary,
      begin: begin + (file[begin] === LF ? 1 : 0),
      end: end === -1 ? file.length : end,
    };
    streams.push([Number(number), stream]);
    from = end === -1 ? file.length : end + 'endstream'.length;
  }
  if (length + file.length - from > MAX_TEXT) return null;
  texts.push(file.toString('latin1', from));
  return { text: normalize(texts.join('\n')), streams };
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
export function readReferences(list: string): number[] | null {
  const isClean = /^[[\] ]*$/.test(list.replace(REFERENCE, ''));
  return isClean ? [...list.matchAll(REFERENCE)].map(([, number]) => Number(number)) : null;
}
const REFERENCE = /(\d{1,10}) \d{1,10} R/g;

/** Whether an object stream contains an object that is also written as a stream. */
function redefines(packed: Buffer, streams: ReadonlyMap<number, unknown>): boolean {
  const [pairs] = /^[\d\s]*/.exec(packed.toString('latin1', 0, 100_000)) ?? [''];
  return pairs
    .trim()
    .split(/\s+/)
    .some((number, index) => index % 2 === 0 && streams.has(Number(number)));
}

const FILTER = /\/Filter\b ?(\[[^[\]]*\]|\/\w+)?/g;

function streamReader(file: Buffer): Pick<PdfObjects, 'read' | 'bytesRead'> {
  let bytesLeft = MAX_INFLATED;
  let readsLeft = MAX_READ_STREAMS;
  const read: PdfObjects['read'] = ({ dictionary, begin, end }) => {
    const filters = [...dictionary.matchAll(FILTER)].map(([, names]) => names);
    if (--readsLeft < 0 || filters.length > 1 || (filters.length === 1 && filters[0] === undefined))
      return null;
    // A predictor changes the bytes after they were decompressed.
    if (/\/Predictor (?!1\b)/.test(dictionary) || /\/(F|FFilter)[ (<]/.test(dictionary)) return null;
    const names = (filters[0] ?? '').match(/\w+/g) ?? [];
    let bytes: Buffer | null = file.subarray(
      begin,
      names.at(-1) === 'FlateDecode' && names.length === 1 ? undefined : end,
    );
    for (const name of names) bytes = bytes === null ? null : decode(name, bytes, bytesLeft);
    bytesLeft -= bytes?.length ?? 0;
    return bytesLeft < 0 ? null : bytes;
  };
  return { read, bytesRead: () => MAX_INFLATED - bytesLeft };
}

function decode(filter: string, bytes: Buffer, maxOutputLength: number): Buffer | null {
  switch (filter) {
    case 'FlateDecode':
      return inflate(bytes, maxOutputLength);
    case 'ASCII85Decode':
      return decodeBase85(bytes);
    default:
      return null;
  }
}

function inflate(bytes: Buffer, maxOutputLength: number): Buffer | null {
  if (maxOutputLength <= 0) return null;
  try {
    return inflateSync(bytes, { maxOutputLength });
  } catch {
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
/** An object that is a list, possibly after a comment. */
const LIST = /(\d{1,10}) \d{1,10} obj ?[[%]/g;

/**
 * The streams that can contain text: those of the pages, each as often as it is used, and the forms that they
 * draw. Null when one cannot be found or read.
 */
export function contentStreams(objects: PdfObjects): { contents: Buffer[]; forms: Set<Buffer> } | null {
  const { text, streams, read } = objects;
  const lists = new Set([...text.matchAll(LIST)].map(([, number]) => Number(number)));
  const known = new Map<Stream, Buffer | null>();
  const readOnce = (stream: Stream): Buffer | null => {
    const bytes = known.has(stream) ? (known.get(stream) ?? null) : read(stream);
    known.set(stream, bytes);
    return bytes;
  };
  const contents: Buffer[] = [];
  for (const [, value] of text.matchAll(CONTENTS)) {
    // The text of an annotation.
    if (value === '(' || value === '<') continue;
    const numbers = value === undefined ? null : readReferences(value);
    if (numbers === null) return null;
    for (const number of numbers) {
      const found = streams.get(number);
      if (found === undefined || lists.has(number)) return null;
      for (const stream of found) {
        const bytes = readOnce(stream);
        if (bytes === null) return null;
        contents.push(bytes);
      }
    }
  }
  const forms = new Set<Buffer>();
  for (const stream of [...streams.values()].flat()) {
    if (!/\/Form\b/.test(stream.dictionary)) continue;
    const bytes = readOnce(stream);
    if (bytes === null) return null;
    forms.add(bytes);
  }
  return { contents, forms };
}
