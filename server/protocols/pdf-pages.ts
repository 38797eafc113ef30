import { inflateSync } from 'node:zlib';

/** Counts the pages of a PDF. Providers bill by page, not by byte. */

const PDF_IN_BASE64 = 'JVBERi0';
const PAGE = /\/Type\s*\/Page(?![A-Za-z])/g;
/** Since PDF 1.5 most pages are in compressed object streams. */
const OBJECT_STREAM = /\/Type\s*\/ObjStm(?![A-Za-z])/g;
const STREAM_BEGINS = /stream\r?\n/;
/** Much longer than any stream dictionary, so that the search does not cover the whole file. */
const MAX_DICTIONARY = 2_000;
/**
 * The maximum size of all decompressed object streams, in multiples of the file size. Without it, one request
 * could delay the others.
 */
const MAX_EXPANSION = 8;

/** Returns null when the file is not a PDF or contains no page count. */
export function countPdfPages(base64: string): number | null {
  if (!base64.startsWith(PDF_IN_BASE64)) return null;
  const file = Buffer.from(base64, 'base64');
  const text = file.toString('latin1');
  let pages = countPages(text);
  let bytesLeft = MAX_EXPANSION * file.length;
  for (const { index } of text.matchAll(OBJECT_STREAM)) {
    const begins = STREAM_BEGINS.exec(text.slice(index, index + MAX_DICTIONARY));
    if (begins === null) continue;
    const objects = decompress(file.subarray(index + begins.index + begins[0].length), bytesLeft);
    if (objects === null) return null;
    bytesLeft -= objects.length;
    pages += countPages(objects);
  }
  return pages === 0 ? null : pages;
}

const countPages = (text: string): number => text.match(PAGE)?.length ?? 0;

/** Returns null when the stream is corrupt or exceeds the maximum size. */
function decompress(bytes: Uint8Array, maxOutputLength: number): string | null {
  if (maxOutputLength <= 0) return null;
  try {
    return inflateSync(bytes, { maxOutputLength }).toString('latin1');
  } catch {
    return null;
  }
}
