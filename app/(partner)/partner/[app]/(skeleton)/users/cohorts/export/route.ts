import { creditsToJson } from '@/server/base/credits';
import { type CsvCell, csvResponse } from '@/server/base/http/csv';
import { readCohorts } from '@/server/reports/activity/cohorts';
import { type AppParams, requireApp } from '../../../../require-app';

const HEADER = ['first_purchase_month', 'buyers', 'month', 'active_buyers', 'bought_credits'];

/** One line per cohort and later month, after one of the month of the first purchases. */
export async function GET(_request: Request, context: AppParams): Promise<Response> {
  const app = await requireApp(context, 'view');
  return csvResponse('cohorts.csv', HEADER, portions(app.id));
}

/** Cohorts with few buyers are missing. */
async function* portions(partnerId: string): AsyncGenerator<CsvCell[][]> {
  for (const { month, details } of await readCohorts(partnerId)) {
    if (details === null) continue;
    const { buyers, bought, later } = details;
    const boughtLater = later.reduce((sum, each) => sum + each.bought, 0n);
    const first = { month, active: buyers, bought: bought - boughtLater };
    yield [first, ...later].map((each) => [
      month,
      buyers,
      each.month,
      each.active,
      creditsToJson(each.bought),
    ]);
  }
}
