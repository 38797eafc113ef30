import { DAY_MS, nowDate } from '../../base/clock';
import { dayAfter } from '../../base/days';

/** The periods that pages offer. Days are in UTC, like the dates of receipts. */
export const PERIODS = ['7d', '30d', '90d', '12m'] as const;
export type Period = (typeof PERIODS)[number];

const DAYS: Record<Exclude<Period, '12m'>, number> = { '7d': 7, '30d': 30, '90d': 90 };

/** The first day and the day after the last one. The last day is today; twelve months start on the first of a month. */
export function readPeriod(period: Period): { from: string; to: string } {
  const today = nowDate();
  const [year, month, date] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const from =
    period === '12m' ? Date.UTC(year, month - 11, 1) : Date.UTC(year, month, date - DAYS[period] + 1);
  return { from: dayOf(new Date(from)), to: dayOf(new Date(Date.UTC(year, month, date + 1))) };
}

/** The same number of days right before. */
export function readPeriodBefore(period: Exclude<Period, '12m'>): { from: string; to: string } {
  const { from: to } = readPeriod(period);
  return { from: dayOf(new Date(Date.parse(to) - DAYS[period] * DAY_MS)), to };
}

/** Every day of a period, oldest first. */
export function daysBetween({ from, to }: { from: string; to: string }): string[] {
  const days: string[] = [];
  for (let day = from; day < to; day = dayAfter(day)) days.push(day);
  return days;
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
