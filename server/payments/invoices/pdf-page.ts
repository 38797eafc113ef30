import path from 'node:path';
import { setImmediate as takeTurns } from 'node:timers/promises';
import { openSync, type Font as ParsedFont } from 'fontkit';
import PDFDocument from 'pdfkit';

/** Draws tagged PDFs (PDF/UA) on A4, whose bytes depend on nothing but what is drawn. */

const FONTS = path.join(process.cwd(), 'node_modules/@expo-google-fonts/inter');
export const FONT_FILES = {
  text: path.join(FONTS, '400Regular/Inter_400Regular.ttf'),
  strong: path.join(FONTS, '600SemiBold/Inter_600SemiBold.ttf'),
};
type FontName = keyof typeof FONT_FILES;
const FONT_NAMES = Object.keys(FONT_FILES) as FontName[];

export const MARGIN = 56;
export const WIDTH = 595.28 - 2 * MARGIN;
const HEIGHT = 841.89;
export const HALF = WIDTH / 2 - 12;
const LABEL = 150;
const INK = '#14161a';
export const MUTED = '#5c6370';
const RULE = '#d9dce1';

export type PdfFacts = { title: string; author: string; at: Date; language: string };
type Doc = InstanceType<typeof PDFDocument>;
export type Parent = ReturnType<Doc['struct']>;
/** Where the next line begins. */
export type Page = { doc: Doc; root: Parent; y: number };
export type Look = { font?: FontName; size?: number; color?: string; align?: 'left' | 'right' };

export type PdfHead = { title: string; brand: string; facts: { label: string; value: string }[] };
/** The first line is the name. */
export type PdfParty = { label: string; lines: string[] };

/** Parsed once: a font takes several times as long as a document. */
let parsed: Record<FontName, ParsedFont> | undefined;
function parseFonts(): Record<FontName, ParsedFont> {
  const open = (name: FontName) => openSync(FONT_FILES[name]) as ParsedFont;
  parsed ??= { text: open('text'), strong: open('strong') };
  return parsed;
}

/** PDFKit accepts parsed fonts and PDF/UA; its types do not know them yet. */
export function openPage({ title, author, at, language }: PdfFacts): Page {
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    font: parseFonts().text as never,
    pdfVersion: '1.7',
    subset: 'PDF/UA' as never,
    tagged: true,
    displayTitle: true,
    lang: language,
    info: { Title: title, Author: author, CreationDate: at, ModDate: at },
  });
  for (const name of FONT_NAMES) doc.registerFont(name, parseFonts()[name] as never);
  doc.font('text');
  const root = doc.struct('Document');
  doc.addStructure(root);
  return { doc, root, y: MARGIN };
}

/** Ends the document and returns its bytes. */
export function closePage({ doc, root }: Page): Promise<Uint8Array<ArrayBuffer>> {
  root.end();
  return collect(doc);
}

/** Begins a new sheet if fewer than `height` points are left on this one; returns whether it did. */
export function breakPage(page: Page, height: number): boolean {
  if (page.y + height <= HEIGHT - MARGIN) return false;
  page.doc.addPage();
  page.y = MARGIN;
  return true;
}

export async function drawHead(page: Page, { title, brand, facts }: PdfHead): Promise<void> {
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
  const table = openElement(page, page.root, 'Table');
  for (const { label, value } of facts) {
    const row = openElement(page, table, 'TR');
    await write(page, row, 'TH', label, { color: MUTED, width: LABEL });
    page.y = (await write(page, row, 'TD', value, { x: MARGIN + LABEL + 12, width: WIDTH - LABEL - 12 })) + 4;
    row.end();
  }
  table.end();
}

export async function drawParties(page: Page, parties: PdfParty[]): Promise<void> {
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
    const section = openElement(page, page.root, 'Sect');
    let y = (await write(page, section, 'H2', label, { ...place, y: top, color: MUTED, size: 9 })) + 4;
    y = (await write(page, section, 'P', name, { ...place, y, font: 'strong' })) + 2;
    for (const line of lines) y = (await write(page, section, 'P', line, { ...place, y })) + 2;
    section.end();
    bottom = Math.max(bottom, y);
  }
  page.y = bottom + 26;
}

/** An element that holds others. */
export function openElement({ doc }: Page, parent: Parent, tag: string): Parent {
  const element = doc.struct(tag);
  parent.add(element);
  return element;
}

/** Writes a text and returns where it ends. */
export async function write(
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

export function drawRule(page: Page): void {
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
