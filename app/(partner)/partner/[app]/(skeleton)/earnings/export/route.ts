import { creditsToJson } from '@/server/base/credits';
import { type CsvCell, csvResponse } from '@/server/base/http/csv';
import { readEarningsDays } from '@/server/reports/activity/partner-activity';
import { readPeriod } from '@/server/reports/activity/periods';
import { readPeriodChoice } from '../../../period-field';
import { type AppParams, requireApp } from '../../../require-app';

const HEADER = ['day', 'kind', 'model', 'credits'];

/** One line per day and model, plus one for what refunds, disputes and granted credits took back. */
export async function GET(request: Request, context: AppParams): Promise<Response> {
  const app = await requireApp(context, 'view');
  const range = readPeriod(readPeriodChoice(new URL(request.url).searchParams.get('period') ?? undefined));
  return csvResponse(`earnings-${range.from}.csv`, HEADER, portions(app.id, range));
}

async function* portions(
  partnerId: string,
  range: { from: string; to: string },
): AsyncGenerator<CsvCell[][]> {
  for (const { day, earned, reversed } of await readEarningsDays(partnerId, range)) {
    yield [
      ...earned.map(({ model, amount }) => [day, 'commission', model, creditsToJson(amount)]),
      ...(reversed === 0n ? [] : [[day, 'reversal', '', creditsToJson(-reversed)]]),
    ];
  }
}
