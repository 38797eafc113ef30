import { contentStreams, type PdfObjects, readPdfObjects, readReferences } from './pdf-objects';
import { measureText, NO_TEXT, type PageText, readTextCodes } from './pdf-text';

/**
 * Bounds what a PDF can contain from above: a provider bills its pages as images, and in addition their text.
 * A small file can contain a lot of text, so the text is read, under a bound that keeps the process responsive.
 */

/** `bytesRead` measures the time it took. */
export type PdfSize = { pages: number; textTokens: number; bytesRead: number };

/**
 * Returns null when the content cannot be bounded: no PDF, encrypted, too large to read, an unusual filter, or
 * pages that are built so that a little text appears any number of times.
 */
export function measurePdf(base64: string): PdfSize | null {
  const objects = readPdfObjects(base64);
  if (objects === null) return null;
  const pages = countPages(objects.text);
  const textTokens = pages === null ? null : countTextTokens(objects);
  return pages === null || textTokens === null ? null : { pages, textTokens, bytesRead: objects.bytesRead() };
}

const MARKED_PAGE = /\/Type ?\/Page(?![A-Za-z])/g;
const KIDS = /\/Kids\b ?(\[[^[\]]*\])?/g;
/** Names and fields are trees as well, but without a count; an outline has a count, but no children. */
const NEAR = '(?:(?!/(?:Title|First|Last|Limits|Names)|endobj)[\\s\\S]){0,200}?';
const PAGE_NODE = new RegExp(
  `/Kids ?(\\[[^[\\]]*\\])${NEAR}/Count ?(\\d+)|/Count ?(\\d+)${NEAR}/Kids ?(\\[[^[\\]]*\\])`,
  'g',
);

/** Null when a page can appear more often than it is written. */
function countPages(text: string): number | null {
  const listed: number[] = [];
  for (const [, list] of text.matchAll(KIDS)) {
    const numbers = list === undefined ? null : readReferences(list);
    if (numbers === null) return null;
    for (const number of numbers) listed.push(number);
  }
  if (new Set(listed).size < listed.length) return null;
  let pages = text.match(MARKED_PAGE)?.length ?? 0;
  let inNodes = 0;
  for (const [, list, after, before, listAfter] of text.matchAll(PAGE_NODE)) {
    inNodes += readReferences(list ?? listAfter ?? '')?.length ?? 0;
    pages = Math.max(pages, Number(after ?? before));
  }
  return Math.max(pages, inNodes) || null;
}

/** Null when it cannot be bounded. */
function countTextTokens(objects: PdfObjects): number | null {
  const codes = readTextCodes(objects);
  const found = codes === null ? null : contentStreams(objects);
  if (codes === null || found === null) return null;
  const texts = new Map<Buffer, PageText>();
  for (const stream of [...found.contents, ...found.forms]) {
    if (!texts.has(stream)) texts.set(stream, measureText(stream, codes));
  }
  const textOf = (stream: Buffer): PageText => texts.get(stream) ?? NO_TEXT;
  const tokens = found.contents.reduce((sum, stream) => sum + textOf(stream).tokens, 0);
  const forms = [...found.forms].map(textOf);
  const largestForm = Math.max(0, ...forms.map((form) => form.tokens));
  if (largestForm === 0) return tokens;
  // A form that draws others can repeat their text exponentially.
  if (forms.some(({ drawn }) => drawn > 0)) return null;
  const drawn = found.contents.reduce((sum, stream) => sum + textOf(stream).drawn, 0);
  return tokens + Math.max(drawn, forms.length) * largestForm;
}
