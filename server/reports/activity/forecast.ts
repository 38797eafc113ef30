import { nowDate } from '../../base/clock';
import { dayAfter } from '../../base/days';
import { type EarningsDay, readEarningsDays } from './partner-activity';
import { daysBetween } from './periods';

/**
 * Forecasts an app's earnings of this month (UTC). Each remaining day is expected to be like the same
 * weekdays of the last eight weeks: their median, between their quartiles. One unusual day changes neither.
 */

export type Forecast = {
  /** Microcredits, with what was earned so far. */
  expected: bigint;
  low: bigint;
  high: bigint;
  /** What today and each later day of the month is still expected to add. */
  days: { day: string; amount: bigint }[];
};

const WEEKS = 8;
const LEAST_DAYS = 14;

/** Null if the app has earned for less than 14 days. */
export async function readForecast(partnerId: string): Promise<Forecast | null> {
  const today = nowDate().toISOString().slice(0, 10);
  const range = { from: weeksBefore(today, WEEKS), to: dayAfter(today) };
  return forecastMonth(await readEarningsDays(partnerId, range), today);
}

/** `days` reach back eight weeks; those without earnings may be missing. */
export function forecastMonth(days: Pick<EarningsDay, 'day' | 'net'>[], today: string): Forecast | null {
  const net = new Map(days.map((day) => [day.day, day.net]));
  const begun = [...net.keys()].sort().find((day) => net.get(day) !== 0n);
  const known = [weeksBefore(today, WEEKS), begun ?? today].sort()[1] ?? today;
  const past = daysBetween({ from: known, to: today });
  if (past.length < LEAST_DAYS) return null;
  const like = (day: string) =>
    past.filter((each) => weekdayOf(each) === weekdayOf(day)).map((each) => net.get(each) ?? 0n);
  const left = daysBetween({ from: today, to: firstOfNext(today) }).map((day) => {
    // Of today, only what exceeds what it has brought so far is still to come.
    const soFar = day === today ? (net.get(today) ?? 0n) : 0n;
    const [low, median, high] = quartiles(like(day)).map((amount) => (amount > soFar ? amount - soFar : 0n));
    return { day, low: low ?? 0n, amount: median ?? 0n, high: high ?? 0n };
  });
  const soFar = daysBetween({ from: firstOf(today), to: dayAfter(today) })
    .map((day) => net.get(day) ?? 0n)
    .reduce((sum, amount) => sum + amount, 0n);
  return {
    expected: left.reduce((sum, { amount }) => sum + amount, soFar),
    low: left.reduce((sum, { low }) => sum + low, soFar),
    high: left.reduce((sum, { high }) => sum + high, soFar),
    days: left.map(({ day, amount }) => ({ day, amount })),
  };
}

/** The lower quartile, the median and the upper quartile, interpolated between two amounts. */
function quartiles(amounts: bigint[]): bigint[] {
  const sorted = [...amounts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [1n, 2n, 3n].map((quarter) => {
    const place = quarter * BigInt(sorted.length - 1);
    const below = sorted[Number(place / 4n)] ?? 0n;
    const above = sorted[Number(place / 4n) + 1] ?? below;
    return below + ((above - below) * (place % 4n)) / 4n;
  });
}

const firstOf = (day: string): string => `${day.slice(0, 7)}-01`;

function firstOfNext(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
}

function weeksBefore(day: string, weeks: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - 7 * weeks);
  return date.toISOString().slice(0, 10);
}

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();
