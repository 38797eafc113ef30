/** One bar: its label, and a number per series. */
export type BarRow = { label: string; values: Record<string, number> };

export type BarChartProps = {
  /** What the chart shows, e.g. "Credits spent per day by model". */
  title: string;
  rows: BarRow[];
  /** Series in stacking order; at most six, with the rest combined as "Other". */
  series: string[];
  /** What the numbers count. */
  unit?: string;
  /** The series that has not happened yet. */
  forecast?: string | undefined;
};

const SERIES = 6;

export const colourOf = (index: number): string => `var(--series-${(index % SERIES) + 1})`;

/** How a series is drawn: what has not happened yet as an outline. */
export const lookOf = (index: number, isForecast: boolean) =>
  isForecast
    ? { fill: 'var(--sunken)', stroke: 'var(--field)', strokeDasharray: '3 2' }
    : { fill: colourOf(index) };

export const writeValue = (value: number, unit: string): string =>
  `${new Intl.NumberFormat('en', { maximumFractionDigits: 4 }).format(value)}${unit && ` ${unit}`}`;

const MAX_STEPS = 5;

/** Axis ticks at round numbers: 0, 100, 200 rather than 0, 95, 190. */
export function chooseSteps(rows: BarRow[]): number[] {
  const values = rows.flatMap((row) => Object.values(row.values));
  const highest = Math.max(0, ...rows.map((row) => Object.values(row.values).reduce((a, b) => a + b, 0)));
  if (highest === 0) return [0, 1];
  const scale = 10 ** Math.floor(Math.log10(highest / MAX_STEPS));
  const round = [1, 2, 2.5, 5, 10].find((step) => highest <= step * scale * MAX_STEPS) ?? 10;
  // Requests come in whole numbers.
  const step = values.every(Number.isInteger) ? Math.max(1, Math.ceil(round * scale)) : round * scale;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}
