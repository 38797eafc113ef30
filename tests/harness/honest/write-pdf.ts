import { deflateSync } from 'node:zlib';

/** PDFs as an attacker writes them, each with the pages and the text that a provider finds in it. */

export type WrittenPdf = { file: Buffer; pages: number; text: string };

type PdfObject = string | { dictionary: string; stream: Buffer };

/** Objects are numbered from 1, and the first is the catalogue. */
function assemble(objects: PdfObject[], { before = '' } = {}): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`${before}%PDF-1.7\n`, 'latin1')];
  for (const [n, object] of objects.entries()) {
    parts.push(Buffer.from(`${n + 1} 0 obj\n`));
    if (typeof object === 'string') parts.push(Buffer.from(`${object}\n`, 'latin1'));
    else {
      parts.push(
        Buffer.from(`<< ${object.dictionary} /Length ${object.stream.length} >>\nstream\n`, 'latin1'),
      );
      parts.push(object.stream, Buffer.from('\nendstream\n'));
    }
    parts.push(Buffer.from('endobj\n'));
  }
  parts.push(Buffer.from(`trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`));
  return Buffer.concat(parts);
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const escapeText = (text: string): string => text.replace(/[\\()]/g, '\\$&');
const show = (text: string): string => `BT (${escapeText(text)}) Tj ET`;
const deflated = (program: string, more = ''): PdfObject => ({
  dictionary: `${more} /Filter /FlateDecode`,
  stream: deflateSync(Buffer.from(program, 'latin1')),
});
const tree = (kids: string, count: number): string => `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`;
const page = (type = '/Type /Page', contents = '', resources = ''): string =>
  `<< ${type} /Parent 2 0 R /MediaBox [0 0 612 792] ${contents} ${resources} >>`;
const repeat = (reference: number, times: number): string => `${reference} 0 R `.repeat(times);
const lines = (text: string, times = 1): string => `${text}\n`.repeat(times);

/** An ordinary document: a page object and a content stream for each page. */
export function plainPdf(texts: string[], { type = '/Type /Page', before = '' } = {}): WrittenPdf {
  const kids = texts.map((_, n) => `${3 + 2 * n} 0 R`).join(' ');
  const objects = texts.flatMap((text, n) => [
    page(type, `/Contents ${4 + 2 * n} 0 R`),
    deflated(show(text)),
  ]);
  const file = assemble([CATALOG, tree(kids, texts.length), ...objects], { before });
  return { file, pages: texts.length, text: texts.map((text) => lines(text)).join('') };
}

/** One page object that the tree lists many times. */
export function repeatedPagePdf(pages: number, text: string): WrittenPdf {
  const file = assemble([
    CATALOG,
    tree(repeat(3, pages), pages),
    page('/Type /Page', '/Contents 4 0 R'),
    deflated(show(text)),
  ]);
  return { file, pages, text: lines(text, pages) };
}

/** All pages show the same content stream. */
export function sharedContentPdf(pages: number, text: string): WrittenPdf {
  const kids = Array.from({ length: pages }, (_, n) => `${4 + n} 0 R`).join(' ');
  const objects = Array.from({ length: pages }, () => page('/Type /Page', '/Contents 3 0 R'));
  const file = assemble([CATALOG, tree(kids, pages), deflated(show(text)), ...objects]);
  return { file, pages, text: lines(text, pages) };
}

/** One page that lists its content stream many times. */
export function repeatedContentPdf(times: number, text: string): WrittenPdf {
  const file = assemble([
    CATALOG,
    tree('3 0 R', 1),
    page('/Type /Page', `/Contents [${repeat(4, times)}]`),
    deflated(show(text)),
  ]);
  return { file, pages: 1, text: lines(text, times) };
}

/** One page that draws a form many times. */
export function formPdf(times: number, text: string): WrittenPdf {
  const file = assemble([
    CATALOG,
    tree('3 0 R', 1),
    page('/Type /Page', '/Contents 4 0 R', '/Resources << /XObject << /F 5 0 R >> >>'),
    deflated('/F Do '.repeat(times)),
    deflated(show(text), '/Type /XObject /Subtype /Form /BBox [0 0 612 792]'),
  ]);
  return { file, pages: 1, text: lines(text, times) };
}

/** The page objects are in a compressed object stream. */
export function objectStreamPdf(pages: number, text: string, type = '/Type /ObjStm'): WrittenPdf {
  const inner = [tree(repeat(11, pages), pages), page('/Type /Page', '/Contents 4 0 R')];
  const offsets = [0, (inner[0] as string).length + 1];
  const index = `2 ${offsets[0]} 11 ${offsets[1]} `;
  const stream = deflated(`${index}${inner.join('\n')}`, `${type} /N 2 /First ${index.length}`);
  const file = assemble([CATALOG, 'null', stream, deflated(show(text))]);
  // Object 2 of the file itself is replaced by the one in the object stream.
  return { file, pages, text: lines(text, pages) };
}

/** Compressed twice: inflating once shows nothing. */
export function twiceDeflatedPdf(text: string): WrittenPdf {
  const stream = deflateSync(deflateSync(Buffer.from(show(text), 'latin1')));
  const file = assemble([
    CATALOG,
    tree('3 0 R', 1),
    page('/Type /Page', '/Contents 4 0 R'),
    { dictionary: '/Filter [/FlateDecode /FlateDecode]', stream },
  ]);
  return { file, pages: 1, text: lines(text) };
}

/** Not compressed at all. */
export function uncompressedPdf(text: string): WrittenPdf {
  const file = assemble([
    CATALOG,
    tree('3 0 R', 1),
    page('/Type /Page', '/Contents 4 0 R'),
    { dictionary: '', stream: Buffer.from(show(text), 'latin1') },
  ]);
  return { file, pages: 1, text: lines(text) };
}
