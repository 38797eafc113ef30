import { contentStreams, type PdfObjects, readPdfObjects, readReferences } from './pdf-objects';
import { measureText, NO_TEXT, type PageText, readTextCodes } from './pdf-text';
import { findAll, type Work } from './pdf-work';

/**
 * Bounds what a PDF can contain from above: a provider bills its pages as images, and in addition their text.
 * A small file can contain a lot of text, so the text is read, under a bound that keeps the process responsive.
 */

export type PdfSize = { pages: number; textTokens: number };

/**
 * Returns null when the content cannot be bounded: no PDF, encrypted, more work than is left, an unusual filter,
 * or pages that are built so that a little text appears any number of times.
 */
export function measurePdf(base64: string, work: Work): PdfSize | null {
  const objects = readPdfObjects(base64, work);
  const pages = objects === null ? null : countPages(objects.text, work);
  const textTokens = objects === null || pages === null ? null : countTextTokens(objects, work);
  // Without work left, a search ended early.
  return pages === null || textTokens === null || work.left < 0 ? null : { pages, textTokens };
}

/** Of a reader that is not billed for text. Null when the pages cannot be bounded. */
export function countPdfPages(base64: string, work: Work): PdfSize | null {
  const objects = readPdfObjects(base64, work);
  const pages = objects === null ? null : countPages(objects.text, work);
  return pages === null || work.left < 0 ? null : { pages, textTokens: 0 };
}

const MARKED_PAGE = /\/Type ?\/Page(?![A-Za-z])/g;
/** Names and fields are trees as well, but without a count; an outline has a count, but no children. */
const NODE_FIELD = /\/Kids\b ?(\[[^[\]]*\])?|\/Count ?(\d{1,9})|\/(?:Title|First|Last|Limits|Names)|endobj/g;
/** How far the count and the children of a node of pages may be apart. */
const NEAR = 200;

/** Null when a page can appear more often than it is written. */
function countPages(text: string, work: Work): number | null {
  const listed = new Set<number>();
  let counted = 0;
  let inNodes = 0;
  let kids: number | null = null;
  let count: number | null = null;
  let end = 0;
  for (const { index, 0: field, 1: list, 2: written } of findAll(text, NODE_FIELD, work)) {
    const isChildren = field.startsWith('/Kids');
    if (index - end > NEAR || !(isChildren || written !== undefined)) kids = count = null;
    end = index + field.length;
    if (isChildren) {
      const numbers = list === undefined ? null : readReferences(list, work);
      if (numbers === null) return null;
      for (const number of numbers) {
        if (listed.has(number)) return null;
        listed.add(number);
      }
      kids = (kids ?? 0) + numbers.length;
    }
    if (written !== undefined) count = Math.max(count ?? 0, Number(written));
    if (kids === null || count === null) continue;
    inNodes += kids;
    counted = Math.max(counted, count);
    kids = count = null;
  }
  let marked = 0;
  for (const _ of findAll(text, MARKED_PAGE, work)) marked++;
  return Math.max(marked, counted, inNodes) || null;
}

/** Null when it cannot be bounded. */
function countTextTokens(objects: PdfObjects, work: Work): number | null {
  const codes = readTextCodes(objects, work);
  const found = codes === null ? null : contentStreams(objects, work);
  if (codes === null || found === null) return null;
  const texts = new Map<Buffer, PageText>();
  for (const stream of [...found.contents, ...found.forms]) {
    if (!texts.has(stream)) texts.set(stream, measureText(stream, codes, work));
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
