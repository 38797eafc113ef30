import { settings } from '../../base/env';
import { findUnprintable } from '../../base/printable';
import { writeDay } from '../../base/write-date';
import { nameCountry } from '../invoices/countries';
import {
  breakPage,
  closePage,
  drawHead,
  drawParties,
  drawRule,
  MARGIN,
  MUTED,
  openElement,
  openPage,
  type Page,
  type PdfParty,
  WIDTH,
  write,
} from '../invoices/pdf-page';
import { isVatId } from '../invoices/tax-id';
import type { PayoutDetails } from './list-payouts';
import { inUsd, type Statement, writePaid } from './statement';

const TITLE = 'Commission statement';
const SIZE = 8.5;
const GAP = 8;
/** Two lines of a cell. */
const ROW = 32;
/** A heading, the names of the columns and a row. */
const TABLE = 110;

type Table = { title: string; columns: string[]; rows: string[][]; total: string[] };

/** As deterministic as an invoice: the same statement is the same file, byte for byte. */
export async function renderStatement(statement: Statement): Promise<Uint8Array<ArrayBuffer>> {
  const { payout, payer } = statement;
  const brand = payer?.brand ?? settings().BRAND_NAME;
  const page = openPage({
    title: `${TITLE} ${payout.id}`,
    author: payer?.name ?? brand,
    at: payout.createdAt,
    language: 'en',
  });
  await drawHead(page, { title: TITLE, brand, facts: factsOf(statement) });
  await drawParties(page, partiesOf(statement, brand));
  const sum = money(payout.amount, 2);
  page.y = (await write(page, page.root, 'H2', `${sum} ${outcomeOf(payout)}`, HEADING)) + 14;
  for (const table of tablesOf(payout)) await drawTable(page, table);
  for (const note of NOTES) {
    breakPage(page, ROW);
    page.y = (await write(page, page.root, 'P', note, { color: MUTED, size: 9 })) + 4;
  }
  return closePage(page);
}

const HEADING = { font: 'strong', size: 15 } as const;
const NOTES = [
  'Amounts are in US dollars, dates in UTC. An app’s amount is its earnings of this payout plus what was carried over from earlier ones, minus what is carried forward to the next.',
  'Issued by the payer on behalf of the payee. It states no tax.',
];

/** The fonts lack some characters that names of apps may have. */
const showOr = (text: string, otherwise: string): string =>
  findUnprintable(text.normalize('NFC')) === null ? text : otherwise;

function factsOf({ payout, payee }: Statement) {
  const { period, method, reference, paid } = payout;
  const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const facts: [string, string | null][] = [
    ['Statement', payout.id],
    ['Date of issue', writeDay(payout.createdAt)],
    ['Period', month.format(new Date(`${period}-01`))],
    ['Paid by', method === 'stripe' ? 'Transfer to the Stripe account' : 'Transfer by the payer'],
    [
      'Paid to',
      method === 'manual' && payee?.destinationEnding ? `Ending in ${payee.destinationEnding}` : null,
    ],
    ['Reference', reference && showOr(reference, '–')],
    ['Amount received', paid && writePaid(paid)],
  ];
  return facts.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
}

function outcomeOf({ state, sentAt, endedAt, createdAt }: PayoutDetails): string {
  if (state === 'sent') return `sent on ${writeDay(sentAt ?? createdAt)}`;
  if (state === 'returned') return `returned on ${writeDay(endedAt ?? createdAt)}`;
  return state === 'failed' ? 'not paid' : 'planned';
}

function partiesOf({ payout, payer, payee }: Statement, brand: string): PdfParty[] {
  const taxLine = (id: string | null) => (id === null ? [] : [`${isVatId(id) ? 'VAT' : 'Tax'} ID: ${id}`]);
  const payerLines = payer === null ? [brand] : [payer.name, ...payer.address, ...taxLine(payer.taxId)];
  const payeeLines =
    payee === null
      ? [showOr(payout.teamName, payout.teamId)]
      : [payee.name, ...payee.address, nameCountry(payee.country, 'en'), ...taxLine(payee.taxId)];
  return [
    { label: 'Payer', lines: payerLines },
    { label: 'Payee', lines: payeeLines },
  ];
}

function tablesOf({ lines, models, amount }: PayoutDetails): Table[] {
  const figures = [
    ...lines.flatMap((line) => [line.carriedBefore, line.carriedAfter, line.earned, line.reversed]),
    ...models.flatMap((sum) => [sum.earned, sum.reversed]),
  ];
  const decimals = Math.max(
    2,
    ...figures.map(
      (figure) =>
        inUsd(figure)
          .replace(/0{1,20}$/, '')
          .split('.')[1]?.length ?? 0,
    ),
  );
  const show = (figure: bigint) => money(figure, decimals);
  const add = <Row>(rows: Row[], pick: (row: Row) => bigint) =>
    rows.reduce((sum, row) => sum + pick(row), 0n);
  const byApp = [
    (line: (typeof lines)[number]) => line.carriedBefore,
    (line: (typeof lines)[number]) => line.earned,
    (line: (typeof lines)[number]) => line.reversed,
    (line: (typeof lines)[number]) => -line.carriedAfter,
  ];
  const byModel = [
    (sum: (typeof models)[number]) => sum.earned,
    (sum: (typeof models)[number]) => sum.reversed,
    (sum: (typeof models)[number]) => sum.earned + sum.reversed,
  ];
  const count = (requests: bigint) => requests.toLocaleString('en');
  return [
    {
      title: 'By app',
      columns: ['App', 'Carried over', 'Earned', 'Reversed', 'Carried forward', 'Amount'],
      rows: lines.map((line) => [
        showOr(line.app, line.partnerId),
        ...byApp.map((pick) => show(pick(line))),
        show(line.amount),
      ]),
      total: ['Total', ...byApp.map((pick) => show(add(lines, pick))), show(amount)],
    },
    {
      title: 'By model',
      columns: ['Model', 'Requests', 'Earned', 'Reversed', 'Net'],
      rows: models.map((sum) => [sum.model, count(sum.requests), ...byModel.map((pick) => show(pick(sum)))]),
      total: [
        'Total',
        count(add(models, ({ requests }) => requests)),
        ...byModel.map((pick) => show(add(models, pick))),
      ],
    },
  ];
}

async function drawTable(page: Page, { title, columns, rows, total }: Table): Promise<void> {
  breakPage(page, TABLE);
  page.y = (await write(page, page.root, 'H3', title, { font: 'strong', size: 11, y: page.y + 8 })) + 8;
  const table = openElement(page, page.root, 'Table');
  const draw = async (tag: 'TH' | 'TD', cells: string[], look: { font?: 'strong'; color?: string }) => {
    const row = openElement(page, table, 'TR');
    let bottom = page.y;
    for (const [index, cell] of cells.entries()) {
      const end = await write(page, row, index === 0 ? 'TH' : tag, cell, {
        size: SIZE,
        ...placeOf(index, cells.length),
        ...look,
      });
      bottom = Math.max(bottom, end);
    }
    row.end();
    page.y = bottom + 4;
  };
  const head = async () => {
    await draw('TH', columns, { color: MUTED });
    drawRule(page);
  };
  await head();
  for (const cells of rows) {
    if (breakPage(page, ROW)) await head();
    await draw('TD', cells, {});
  }
  if (breakPage(page, ROW)) await head();
  drawRule(page);
  await draw('TD', total, { font: 'strong' });
  table.end();
  page.y += 14;
}

/** The first column is as wide as two others. */
function placeOf(index: number, columns: number) {
  const width = (WIDTH - GAP * (columns - 1)) / (columns + 1);
  if (index === 0) return { x: MARGIN, width: 2 * width };
  return { x: MARGIN + (index + 1) * width + index * GAP, width, align: 'right' as const };
}

/** `-$1,234.50` */
function money(amount: bigint, decimals: number): string {
  const [whole = '', fraction] = inUsd(amount < 0n ? -amount : amount, decimals).split('.');
  return `${amount < 0n ? '-' : ''}$${BigInt(whole).toLocaleString('en')}.${fraction}`;
}
