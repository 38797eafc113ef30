import { REQUEST_STATUSES, type RequestFilter } from '@/server/reports/activity/partner-activity';
import { type Period, readPeriod } from '@/server/reports/activity/periods';
import { readPeriodChoice } from '../../period-field';
import { readChoice, readSearched, type Search } from '../../search';

/** The list's query string. Invalid values are ignored. */
export type RequestSearch = { period: Period; page: number; filter: RequestFilter };

export function readRequestSearch(search: Search): RequestSearch {
  const period = readPeriodChoice(search.period);
  const page = Number(search.page ?? 1);
  return {
    period,
    page: Number.isInteger(page) && page > 0 && page < 1_000_000 ? page : 1,
    filter: {
      ...readPeriod(period),
      model: readSearched(search.model),
      appUserId: readSearched(search.user),
      status: readChoice(search.status, REQUEST_STATUSES),
    },
  };
}
