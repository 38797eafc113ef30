import { beforeAll, expect, test } from 'vitest';
import { prisma } from '@/server/base/db';
import { writeCsvRow } from '@/server/base/http/csv';
import { findPayout, listPayouts, readPayoutDays } from '@/server/payments/payouts/list-payouts';
import { savePayeeDetails, toPayoutPayee } from '@/server/payments/payouts/payee-details';
import { respondWithStatement } from '@/server/payments/payouts/respond-with-statement';
import { findStatement } from '@/server/payments/payouts/statement';
import { STATEMENT_HEADER, writeStatementRows } from '@/server/payments/payouts/statement-csv';
import { renderStatement } from '@/server/payments/payouts/statement-pdf';
import { readYearlyRows, YEARLY_HEADER } from '@/server/payments/payouts/yearly-export';
import { newDatabase } from '../../harness';
import { readPdfText } from '../../harness/pdf-text';
import { newTeam, writePayout } from './payout-rows';

/** Statements, and the yearly export: what they say adds up to the payout. */

await newDatabase();
Object.assign(process.env, {
  SELLER_NAME: 'Example Software GmbH',
  SELLER_ADDRESS: 'Mariahilfer Straße 1, 1060 Wien, Österreich',
  SELLER_TAX_ID: 'ATU13585627',
});

const payeeOf = async (id: string) =>
  toPayoutPayee(await prisma().payeeDetails.findUniqueOrThrow({ where: { teamId: id } }));

let teamId: string;
let apps: string[];
let payoutId: string;

beforeAll(async () => {
  ({ teamId, apps } = await newTeam('=HYPERLINK("x")', '港口 App'));
  const [one = '', two = ''] = apps;
  const details = { name: 'Ada Ltd', address: 'Unter den Linden 1\n10117 Berlin', country: 'DE' };
  await savePayeeDetails(
    teamId,
    { ...details, taxId: 'DE136695976', destination: 'AT611904300234573201' },
    async () => {},
  );
  const items = [
    ...['sandbox/echo', 'sandbox/story'].flatMap((model) =>
      ['2026-08-30', '2026-08-31', '2026-09-01'].map((day) => ({
        partnerId: one,
        day,
        model,
        requests: 3,
        amount: 1_234_567_890n,
      })),
    ),
    {
      partnerId: one,
      day: '2026-08-31',
      model: 'sandbox/echo',
      kind: 'reversed' as const,
      requests: 1,
      amount: -400_000_001n,
    },
    { partnerId: two, day: '2026-09-01', model: 'sandbox/echo', requests: 1, amount: -77n },
  ];
  payoutId = await writePayout({
    teamId,
    period: '2026-10',
    items,
    carriedBefore: { [one]: 999_999n, [two]: -5_000_000n },
    row: {
      payee: await payeeOf(teamId),
      state: 'sent',
      sentAt: new Date('2026-10-02T10:00:00Z'),
      reference: 'SEPA-17',
      paidCurrency: 'eur',
      paidMinor: 6412n,
      rate: '0.92',
      approvedBy: 'op',
    },
  });
}, 60_000);

async function readRows(id: string): Promise<string[][]> {
  const statement = await findStatement(id, teamId);
  if (statement === null) throw new Error('no such payout');
  const rows: string[][] = [];
  for await (const portion of writeStatementRows(statement))
    rows.push(...portion.map((row) => row.map(String)));
  return rows;
}

test('the CSV adds up to the payout to the microcredit, in both units, and runs no formula @attack', async () => {
  const rows = await readRows(payoutId);
  const { amount } = await prisma().payout.findUniqueOrThrow({ where: { id: payoutId } });
  expect(rows.every((row) => row.length === STATEMENT_HEADER.length)).toBe(true);
  expect(rows.reduce((sum, row) => sum + BigInt(row[7] ?? ''), 0n)).toBe(amount);
  const inDollars = rows.reduce((sum, row) => sum + BigInt((row[6] ?? '').replace('.', '')), 0n);
  expect(inDollars).toBe(amount);
  const kinds = rows.map((row) => row[4]);
  expect(
    ['earned', 'reversed', 'carried_over', 'carried_forward'].map(
      (kind) => kinds.filter((one) => one === kind).length,
    ),
  ).toEqual([7, 1, 2, 2]);
  expect(rows.find((row) => row[4] === 'reversed')?.slice(5)).toEqual(['1', '-4.00000001', '-400000001']);
  expect(writeCsvRow(rows.find((row) => row[1] === apps[0]) ?? [])).toMatch(/^"'=HYPERLINK\(""x""\)",prt_/);
});

test('the PDF says who pays whom, what was earned by app and model, and what arrived, and its rows add up', async () => {
  const statement = await findStatement(payoutId, teamId);
  if (statement === null) throw new Error('no such payout');
  const lines = readPdfText(await renderStatement(statement));
  expect(lines).toEqual(
    expect.arrayContaining([
      'Commission statement',
      payoutId,
      'October 2026',
      'SEPA-17',
      'Ending in 3201',
      '€64.12 (1 USD = 0.92 EUR)',
      'Example Software GmbH',
      'VAT ID: ATU13585627',
      'Ada Ltd',
      'Germany',
      'VAT ID: DE136695976',
      'sandbox/echo',
      'sandbox/story',
    ]),
  );
  const amounts = (from: number, count: number) =>
    lines.slice(from, from + count).map((text) => BigInt(text.replace(/[$,.]/g, '')));
  const totals = lines.flatMap((text, index) => (text === 'Total' ? [index] : []));
  const [carried = 0n, earned = 0n, reversed = 0n, forward = 0n, paid] = amounts((totals[0] ?? 0) + 1, 5);
  expect(carried + earned + reversed + forward).toBe(paid);
  expect(paid).toBe(statement.payout.amount);
  expect(amounts((totals[1] ?? 0) + 2, 3)).toEqual([earned, reversed, earned + reversed]);
  // The fonts have no Chinese letters.
  expect(lines.join('')).not.toContain('\ufffd');
});

test('a statement is the same file each time, on several pages too, and says the payee of its time', async () => {
  const items = Array.from({ length: 90 }, (_, index) => ({
    partnerId: apps[0] ?? '',
    day: '2026-07-01',
    model: `sandbox/model-${index}`,
    amount: 10_000_000n,
  }));
  const payee = await payeeOf(teamId);
  const id = await writePayout({ teamId, period: '2026-08', items, row: { payee, state: 'returned' } });
  const render = async () => {
    const response = await respondWithStatement(id, teamId);
    expect(response?.headers.get('content-type')).toBe('application/pdf');
    return Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer());
  };
  const first = await render();
  const given = { name: 'Later Ltd', address: 'Elsewhere 1', country: 'AT', taxId: '', destination: '' };
  await savePayeeDetails(teamId, given, async () => {});
  process.env.SELLER_NAME = 'Successor GmbH';
  expect((await render()).equals(first)).toBe(true);
  expect(readPdfText(first).filter((text) => text === 'Model').length).toBeGreaterThan(1);
  expect(readPdfText(first).filter((text) => text.startsWith('sandbox/model-'))).toHaveLength(90);
});

test('another team’s payout does not exist, and a payout’s days are read by month @attack', async () => {
  const other = await newTeam('Stranger');
  expect(await findStatement(payoutId, other.teamId)).toBeNull();
  expect(await respondWithStatement(payoutId, other.teamId)).toBeNull();
  expect((await listPayouts(other.teamId, { offset: 0, limit: 10 })).total).toBe(0);
  const newest = await readPayoutDays(payoutId);
  expect([newest.months, newest.month, newest.days.length]).toEqual([['2026-09', '2026-08'], '2026-09', 1]);
  const { days } = await readPayoutDays(payoutId, '2026-08');
  expect(days.map(({ day, requests, earned, reversed }) => [day, requests, earned, reversed])).toEqual([
    ['2026-08-31', 6n, 2_469_135_780n, -400_000_001n],
    ['2026-08-30', 6n, 2_469_135_780n, 0n],
  ]);
  const details = await findPayout(payoutId, null);
  expect(details?.lines.reduce((sum, line) => sum + line.amount, 0n)).toBe(details?.amount);
});

test('the yearly export counts what was sent in the year, by quarter and currency, and not what was returned', async () => {
  const paid = await newTeam('Paid');
  const items = [
    { partnerId: paid.apps[0] ?? '', day: '2025-01-01', model: 'sandbox/echo', amount: 1_000_000_000n },
  ];
  const write = (period: string, sentAt: string, row: object = {}) =>
    writePayout({
      teamId: paid.teamId,
      period,
      items,
      row: { state: 'sent', sentAt: new Date(sentAt), ...row },
    });
  await write('2025-12', '2025-12-31T23:59:59Z');
  await write('2026-01', '2026-01-01T00:00:00Z');
  await write('2026-03', '2026-03-31T23:59:59Z', { paidCurrency: 'USD', paidMinor: 999n });
  await write('2026-04', '2026-04-01T00:00:00Z', { paidCurrency: 'jpy', paidMinor: 1500n, rate: '150' });
  await write('2026-05', '2026-05-01T00:00:00Z', { state: 'returned' });
  const rows = (await readYearlyRows(2026)).filter((row) => row[1] === paid.teamId);
  expect(rows.map((row) => row.slice(7).map(String))).toEqual([
    ['JPY', '0', '0.00', '0', '1', '10.00', '1500', '0', '0.00', '0', '0', '0.00', '0', '1', '10.00', '1500'],
    [
      'USD',
      '2',
      '20.00',
      '19.99',
      '0',
      '0.00',
      '0.00',
      '0',
      '0.00',
      '0.00',
      '0',
      '0.00',
      '0.00',
      '2',
      '20.00',
      '19.99',
    ],
  ]);
  const [own] = (await readYearlyRows(2026)).filter((row) => row[1] === teamId);
  expect(own).toHaveLength(YEARLY_HEADER.length);
  expect(own?.slice(3, 8)).toEqual([
    'Ada Ltd',
    'Unter den Linden 1, 10117 Berlin',
    'DE',
    'DE136695976',
    'EUR',
  ]);
});
