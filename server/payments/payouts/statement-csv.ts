import { invariant } from '../../base/errors';
import type { CsvCell } from '../../base/http/csv';
import { type PayoutLineView, streamPayoutItems } from './list-payouts';
import { inUsd, type Statement } from './statement';

/** The first row says the units. The amounts add up to the payout, to the microcredit. */
export const STATEMENT_HEADER = [
  'app',
  'app id',
  'day (UTC)',
  'model',
  'kind (earned, reversed, carried_over, carried_forward)',
  'requests',
  'amount (USD)',
  'amount (microcredits; 100000000 are 1 USD)',
];

/** One row for each app, day and model, and two for what each app carried over from and to other payouts. */
export async function* writeStatementRows({ payout }: Statement): AsyncGenerator<CsvCell[][]> {
  const apps = new Map(payout.lines.map((line) => [line.partnerId, line]));
  for await (const items of streamPayoutItems(payout.id)) {
    yield items.map(({ partnerId, day, model, kind, requests, amount }) => {
      const line = apps.get(partnerId);
      invariant(line, 'a payout has a line for each app of its items');
      return [line.app, partnerId, day, model, kind, String(requests), inUsd(amount), String(amount)];
    });
  }
  const carried = payout.lines.flatMap((line) => [
    carriedRow(line, 'carried_over', line.carriedBefore),
    carriedRow(line, 'carried_forward', -line.carriedAfter),
  ]);
  if (carried.length > 0) yield carried;
}

const carriedRow = ({ app, partnerId }: PayoutLineView, kind: string, amount: bigint): CsvCell[] => [
  app,
  partnerId,
  '',
  '',
  kind,
  '',
  inUsd(amount),
  String(amount),
];
