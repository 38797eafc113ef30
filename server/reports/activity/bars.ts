import { daysBetween, type Period } from './periods';

/** Turns values by day and name into chart bars: one per day, or one per month for long periods. */

export type Point = { day: string; name: string; value: number };
type Bar = { label: string; values: Record<string, number> };

const MAX_SERIES = 6;
const REST = 'Other';

/** The time that one bar covers. */
export const barStepOf = (period: Period): 'day' | 'month' => (period === '12m' ? 'month' : 'day');

const stepOf = (day: string, period: Period): string =>
  barStepOf(period) === 'month' ? day.slice(0, 7) : day;

/** Values by day, summed up by the time that one bar covers. */
export function sumBySteps<Day extends { day: string }, Sum>(
  days: Day[],
  period: Period,
  add: (sum: Sum | undefined, day: Day) => Sum,
): { step: string; sum: Sum }[] {
  const sums = new Map<string, Sum>();
  for (const day of days) sums.set(stepOf(day.day, period), add(sums.get(stepOf(day.day, period)), day));
  return [...sums].map(([step, sum]) => ({ step, sum }));
}

export function barsOf(points: Point[], { from, to }: { from: string; to: string }, period: Period) {
  const { series, seriesOf } = chooseSeries(points);
  const bars = new Map<string, Record<string, number>>(
    daysBetween({ from, to }).map((day) => [stepOf(day, period), {}]),
  );
  for (const { day, name, value } of points) {
    const bar = bars.get(stepOf(day, period));
    const place = seriesOf(name);
    if (bar) bar[place] = (bar[place] ?? 0) + value;
  }
  const rows: Bar[] = [...bars].map(([step, values]) => ({ label: labelOf(step), values }));
  return { rows, series };
}

type Bars = ReturnType<typeof barsOf>;

/** The same bars, with what the days of this month are still expected to add: as a last series, in further bars. */
export function withForecast({ rows, series }: Bars, days: Omit<Point, 'name'>[], period: Period) {
  const forecast = 'Forecast';
  const bars = new Map(rows.map(({ label, values }) => [label, values]));
  for (const { day, value } of days) {
    const label = labelOf(stepOf(day, period));
    const values = bars.get(label) ?? {};
    bars.set(label, { ...values, [forecast]: (values[forecast] ?? 0) + value });
  }
  return {
    rows: [...bars].map(([label, values]) => ({ label, values })),
    series: [...series, forecast],
    forecast,
  };
}

/** The largest series by name, all others combined. */
function chooseSeries(points: Point[]) {
  const sums = new Map<string, number>();
  for (const { name, value } of points) sums.set(name, (sums.get(name) ?? 0) + value);
  const names = [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const shown = names.length > MAX_SERIES ? names.slice(0, MAX_SERIES - 1) : names;
  return {
    series: shown.length < names.length ? [...shown, REST] : shown,
    seriesOf: (name: string) => (shown.includes(name) ? name : REST),
  };
}

/** The axis label of a day (`2026-11-21`) or a month (`2026-11`). */
export function labelOf(step: string): string {
  const isMonth = step.length === 7;
  return new Intl.DateTimeFormat('en', {
    timeZone: 'UTC',
    month: 'short',
    ...(isMonth ? { year: '2-digit' } : { day: 'numeric' }),
  }).format(new Date(isMonth ? `${step}-01` : step));
}
