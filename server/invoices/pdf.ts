import path from 'node:path';
import { setImmediate as takeTurns } from 'node:timers/promises';
import { openSync, type Font as ParsedFont } from 'fontkit';
import PDFDocument from 'pdfkit';
import type { IssuedDocument } from './document';
import { type DocumentText, writeDocument } from './document-text';

const FONTS = path.join(process.cwd(), 'node_modules/@expo-google-fonts/inter');
export const FONT_FILES = {
  text: path.join(FONTS, '400Regular/Inter_400Regular.ttf'),
  strong: path.join(FONTS, '600SemiBold/Inter_600SemiBold.ttf'),
};
type FontName = keyof typeof FONT_FILES;
const FONT_NAMES = Object.keys(FONT_FILES) as FontName[];

const MARGIN = 56;
const WIDTH = 595.28 - 2 * MARGIN;
const HALF = WIDTH / 2 - 12;
const LABEL = 150;
const AMOUNT = 150;
const TOTAL = 90;
const INK = '#14161a';
const MUTED = '#5c6370';
const RULE = '#d9dce1';

type Doc = InstanceType<typeof PDFDocument>;
type Parent = ReturnType<Doc['struct']>;
/** Where the next line begins. */
type Page = { doc: Doc; root: Parent; y: number };
type Look = { font?: FontName; size?: number; color?: string; align?: 'left' | 'right' };

/** Parsed once: a font takes several times as long as a document. */
let parsed: Record<FontName, ParsedFont> | undefined;
function parseFonts(): Record<FontName, ParsedFont> {
  const open = (name: FontName) => openSync(FONT_FILES[name]) as ParsedFont;
  parsed ??= { text: open('text'), strong: open('strong') };
  return parsed;
}

/**
 * A document as a tagged PDF (PDF/UA) on A4. The same document is the same file, byte for byte: nothing depends on
 * the time or place of the call. Other work gets its turn after each text.
 */
export async function renderPdf(issued: IssuedDocument): Promise<Uint8Array<ArrayBuffer>> {
  const text = writeDocument(issued);
  const doc = openDocument(issued, text);
  const root = doc.struct('Document');
  doc.addStructure(root);
  const page: Page = { doc, root, y: MARGIN };
  await drawHead(page, text);
  await drawParties(page, text);
  await drawItem(page, text);
  await drawTotals(page, text);
  for (const note of text.notes) page.y = (await write(page, root, 'P', note, { color: MUTED })) + 4;
  root.end();
  return collect(doc);
}

/** PDFKit accepts parsed fonts and PDF/UA; its types do not know them yet. */
function openDocument({ issuedAt, document }: IssuedDocument, text: DocumentText): Doc {
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    font: parseFonts().text as never,
    pdfVersion: '1.7',
    subset: 'PDF/UA' as never,
    tagged: true,
    displayTitle: true,
    lang: text.language,
    info: {
      Title: `${text.title} ${text.number}`,
      Author: document.seller.name,
      CreationDate: issuedAt,
      ModDate: issuedAt,
    },
  });
  for (const name of FONT_NAMES) doc.registerFont(name, parseFonts()[name] as never);
  doc.font('text');
  return doc;
}

async function drawHead(page: Page, { title, brand, facts }: DocumentText): Promise<void> {
  const top = page.y;
  const bottom = await write(page, page.root, 'H1', title, { font: 'strong', size: 22, width: WIDTH * 0.66 });
  await write(page, page.root, 'P', brand, {
    font: 'strong',
    size: 12,
    x: MARGIN + WIDTH * 0.68,
    y: top + 8,
    width: WIDTH * 0.32,
    align: 'right',
  });
  page.y = bottom + 16;
  const table = open(page.root, page.doc, 'Table');
  for (const { label, value } of facts) {
    const row = open(table, page.doc, 'TR');
    await write(page, row, 'TH', label, { color: MUTED, width: LABEL });
    page.y = (await write(page, row, 'TD', value, { x: MARGIN + LABEL + 12, width: WIDTH - LABEL - 12 })) + 4;
    row.end();
  }
  table.end();
}

async function drawParties(page: Page, { parties }: DocumentText): Promise<void> {
  const top = page.y + 22;
  let bottom = top;
  for (const [
    index,
    {
      label,
      lines: [name = '', ...lines],
    },
  ] of parties.entries()) {
    const place = { x: MARGIN + index * (HALF + 24), width: HALF };
    const section = open(page.root, page.doc, 'Sect');
    let y = (await write(page, section, 'H2', label, { ...place, y: top, color: MUTED, size: 9 })) + 4;
    y = (await write(page, section, 'P', name, { ...place, y, font: 'strong' })) + 2;
    for (const line of lines) y = (await write(page, section, 'P', line, { ...place, y })) + 2;
    section.end();
    bottom = Math.max(bottom, y);
  }
  page.y = bottom + 26;
}

async function drawItem(page: Page, { summary, columns, item }: DocumentText): Promise<void> {
  page.y = (await write(page, page.root, 'H2', summary, { font: 'strong', size: 15 })) + 22;
  const table = open(page.root, page.doc, 'Table');
  const cells = { left: { width: WIDTH - AMOUNT - 12 }, right: amountCell(AMOUNT) };
  const head = open(table, page.doc, 'TR');
  await write(page, head, 'TH', columns.item, { ...cells.left, color: MUTED, size: 9 });
  page.y = (await write(page, head, 'TH', columns.amount, { ...cells.right, color: MUTED, size: 9 })) + 6;
  head.end();
  drawRule(page);
  const row = open(table, page.doc, 'TR');
  const top = page.y;
  const bottom = await write(page, row, 'TD', [item.label, ...item.notes].join('\n'), cells.left);
  await write(page, row, 'TD', item.value, { ...cells.right, y: top });
  row.end();
  table.end();
  page.y = bottom + 10;
  drawRule(page);
}

async function drawTotals(page: Page, { totals }: DocumentText): Promise<void> {
  const table = open(page.root, page.doc, 'Table');
  for (const [index, { label, value }] of totals.entries()) {
    const font = index === totals.length - 1 ? 'strong' : 'text';
    const row = open(table, page.doc, 'TR');
    const x = MARGIN + HALF;
    const labelBottom = await write(page, row, 'TH', label, { font, x, width: WIDTH - HALF - TOTAL - 12 });
    const bottom = await write(page, row, 'TD', value, { ...amountCell(TOTAL), font });
    page.y = Math.max(labelBottom, bottom) + 8;
    row.end();
  }
  table.end();
  page.y += 16;
}

const amountCell = (width: number) => ({ x: MARGIN + WIDTH - width, width, align: 'right' as const });

/** An element that holds others. */
function open(parent: Parent, doc: Doc, tag: string): Parent {
  const element = doc.struct(tag);
  parent.add(element);
  return element;
}

/** Writes a text and returns where it ends. */
async function write(
  { doc, y: current }: Page,
  parent: Parent,
  tag: string,
  text: string,
  place: Look & { x?: number; y?: number; width?: number },
): Promise<number> {
  const {
    font = 'text',
    size = 10,
    color = INK,
    align = 'left',
    x = MARGIN,
    y = current,
    width = WIDTH,
  } = place;
  const draw = () => {
    doc.font(font).fontSize(size).fillColor(color);
    doc.text(text, x, y, { width, align, lineGap: 2 });
  };
  const element = doc.struct(tag, {}, draw);
  parent.add(element);
  element.end();
  const bottom = doc.y;
  await takeTurns();
  return bottom;
}

function drawRule(page: Page): void {
  const { doc, y } = page;
  doc.markContent('Artifact', { type: 'Layout' });
  doc
    .moveTo(MARGIN, y)
    .lineTo(MARGIN + WIDTH, y)
    .lineWidth(0.75)
    .strokeColor(RULE)
    .stroke();
  doc.endMarkedContent();
  page.y += 10;
}

function collect(doc: Doc): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    doc.on('data', (part: Uint8Array) => parts.push(part));
    doc.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    doc.on('error', reject);
    doc.end();
  });
}
