import { REQUEST_STATUSES, type RequestFilter } from '@/server/reports/activity/partner-activity';
import { type Period, readPeriod } from '@/server/reports/activity/periods';
import { readPeriodChoice } from '../../period-field';
import { readChoice, type Search } from '../../search';

/** The list's query string. Invalid values are ignored. */
export type RequestSearch = { period: Period; page: number; filter: RequestFilter };

const MAX_TEXT = 200;

export function readRequestSearch(search: Search): RequestSearch {
  const period = readPeriodChoice(search.period);
  const page = Number(search.page ?? 1);
  return {
    period,
    page: Number.isInteger(page) && page > 0 && page < 1_000_000 ? page : 1,
    filter: {
      ...readPeriod(period),
      model: readText(search.model),
      appUserId: readText(search.user),
      status: readChoice(search.status, REQUEST_STATUSES),
    },
  };
}

function readText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value.trim() : undefined;
}
