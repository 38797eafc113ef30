import { inflateSync } from 'node:zlib';

/** How many pages a PDF has: what it costs follows from them, not from its bytes. */

const PDF_IN_BASE64 = 'JVBERi0';
const PAGE = /\/Type\s*\/Page(?![A-Za-z])/g;
/** Since PDF 1.5 pages mostly stand in compressed streams of objects. */
const OBJECT_STREAM = /\/Type\s*\/ObjStm(?![A-Za-z])/g;
const STREAM_BEGINS = /stream\r?\n/g;
/** A stream of objects is far smaller; what unfolds beyond all bounds is not looked at. */
const MAX_STREAM_BYTES = 1_000_000;
const MAX_STREAMS = 500;

/** Null for what is no PDF, or does not tell. */
export function countPdfPages(base64: string): number | null {
  if (!base64.startsWith(PDF_IN_BASE64)) return null;
  const file = Buffer.from(base64, 'base64');
  const text = file.toString('latin1');
  let pages = countPages(text);
  for (const { index } of [...text.matchAll(OBJECT_STREAM)].slice(0, MAX_STREAMS)) {
    STREAM_BEGINS.lastIndex = index;
    if (STREAM_BEGINS.test(text)) pages += countPages(inflate(file.subarray(STREAM_BEGINS.lastIndex)));
  }
  return pages === 0 ? null : pages;
}

const countPages = (text: string): number => text.match(PAGE)?.length ?? 0;

function inflate(bytes: Uint8Array): string {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_STREAM_BYTES }).toString('latin1');
  } catch {
    return '';
  }
}
