import { requireOperator } from '@/app/_session/session';
import { type CsvCell, csvResponse } from '@/server/base/http/csv';
import { readYearlyRows, YEARLY_HEADER } from '@/server/payments/payouts/yearly-export';

type Context = { params: Promise<{ year: string }> };

/** The payouts of a year by team, for 1099 and DAC7. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  await requireOperator();
  const { year } = await params;
  if (!/^20\d\d$/.test(year)) return new Response('Not found.', { status: 404 });
  return csvResponse(`payouts-${year}.csv`, YEARLY_HEADER, readRows(Number(year)));
}

async function* readRows(year: number): AsyncGenerator<CsvCell[][]> {
  yield await readYearlyRows(year);
}
