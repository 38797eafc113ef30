import type { IssuedDocument } from './document';
import { type DocumentText, writeDocument } from './document-text';
import {
  closePage,
  drawHead,
  drawParties,
  drawRule,
  HALF,
  MARGIN,
  MUTED,
  openElement,
  openPage,
  type Page,
  WIDTH,
  write,
} from './pdf-page';

const AMOUNT = 150;
const TOTAL = 90;

/**
 * A document as a tagged PDF (PDF/UA) on A4. The same document is the same file, byte for byte: nothing depends on
 * the time or place of the call. Other work gets its turn after each text.
 */
export async function renderPdf(issued: IssuedDocument): Promise<Uint8Array<ArrayBuffer>> {
  const text = writeDocument(issued);
  const page = openPage({
    title: `${text.title} ${text.number}`,
    author: issued.document.seller.name,
    at: issued.issuedAt,
    language: text.language,
  });
  await drawHead(page, text);
  await drawParties(page, text.parties);
  await drawItem(page, text);
  await drawTotals(page, text);
  for (const note of text.notes) page.y = (await write(page, page.root, 'P', note, { color: MUTED })) + 4;
  return closePage(page);
}

async function drawItem(page: Page, { summary, columns, item }: DocumentText): Promise<void> {
  page.y = (await write(page, page.root, 'H2', summary, { font: 'strong', size: 15 })) + 22;
  const table = openElement(page, page.root, 'Table');
  const cells = { left: { width: WIDTH - AMOUNT - 12 }, right: amountCell(AMOUNT) };
  const head = openElement(page, table, 'TR');
  await write(page, head, 'TH', columns.item, { ...cells.left, color: MUTED, size: 9 });
  page.y = (await write(page, head, 'TH', columns.amount, { ...cells.right, color: MUTED, size: 9 })) + 6;
  head.end();
  drawRule(page);
  const row = openElement(page, table, 'TR');
  const top = page.y;
  const bottom = await write(page, row, 'TD', [item.label, ...item.notes].join('\n'), cells.left);
  await write(page, row, 'TD', item.value, { ...cells.right, y: top });
  row.end();
  table.end();
  page.y = bottom + 10;
  drawRule(page);
}

async function drawTotals(page: Page, { totals }: DocumentText): Promise<void> {
  const table = openElement(page, page.root, 'Table');
  for (const [index, { label, value }] of totals.entries()) {
    const font = index === totals.length - 1 ? 'strong' : 'text';
    const row = openElement(page, table, 'TR');
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
