import { nowDate } from '../../base/clock';
import { dayAfter } from '../../base/days';

/** The periods that pages offer. Days are in UTC, like the dates of receipts. */
export const PERIODS = ['7d', '30d', '90d', '12m'] as const;
export type Period = (typeof PERIODS)[number];

const DAYS: Record<Exclude<Period, '12m'>, number> = { '7d': 7, '30d': 30, '90d': 90 };

type Days = { from: string; to: string };

/** The first day and the day after the last one. The last day is today; twelve months start on the first of a month. */
export const readPeriod = (period: Period): Days => {
  const today = nowDate();
  return periodUntil(period, today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
};

/** As many days right before the period; before twelve months, the same months of the year before. */
export function readPreviousPeriod(period: Period): Days {
  const today = nowDate();
  const [year, month, date] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  return period === '12m'
    ? periodUntil(period, year - 1, month, date)
    : periodUntil(period, year, month, date - DAYS[period]);
}

function periodUntil(period: Period, year: number, month: number, date: number): Days {
  const from =
    period === '12m' ? Date.UTC(year, month - 11, 1) : Date.UTC(year, month, date - DAYS[period] + 1);
  // The year before a leap day has none.
  const to = Math.min(Date.UTC(year, month, date + 1), Date.UTC(year, month + 1, 1));
  return { from: dayOf(new Date(from)), to: dayOf(new Date(to)) };
}

/** Every day of a period, oldest first. */
export function daysBetween({ from, to }: Days): string[] {
  const days: string[] = [];
  for (let day = from; day < to; day = dayAfter(day)) days.push(day);
  return days;
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
