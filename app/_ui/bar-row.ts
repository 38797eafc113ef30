/** One bar: its label, and a number per series. */
export type BarRow = { label: string; values: Record<string, number> };

export type BarChartProps = {
  /** What the chart shows, e.g. "Credits spent per day by model". */
  title: string;
  rows: BarRow[];
  /** Series in stacking order; at most six, with the rest combined as "Other". */
  series: string[];
  /** What the numbers are. Without one, they count what the title names. */
  unit?: Unit | undefined;
  /** The series that has not happened yet. */
  forecast?: string | undefined;
};

export type Unit = 'credits' | 'USD' | 'requests';

const SERIES = 6;

export const colourOf = (index: number): string => `var(--series-${(index % SERIES) + 1})`;

/** How a series is drawn: what has not happened yet as an outline. */
export const lookOf = (index: number, isForecast: boolean) =>
  isForecast
    ? { fill: 'var(--sunken)', stroke: 'var(--field)', strokeDasharray: '3 2' }
    : { fill: colourOf(index) };

const SMALLEST_IN_CENTS = 0.01;

/** Amounts with two decimals, never rounded up, and what is less with its first digits: nothing that was booked looks like zero. */
export function writeValue(value: number, unit?: Unit): string {
  const isAmount = unit === 'credits' || unit === 'USD';
  const isTiny = value !== 0 && Math.abs(value) < SMALLEST_IN_CENTS;
  const decimals = isTiny
    ? { maximumSignificantDigits: 2 }
    : { minimumFractionDigits: isAmount ? 2 : 0, maximumFractionDigits: 2, roundingMode: 'trunc' as const };
  // A sum of 0.57 and 0.01 is 0.57999….
  const exact = Number(value.toPrecision(12));
  const number = new Intl.NumberFormat('en', { ...inUnit(unit), ...decimals }).format(exact);
  if (unit === undefined || unit === 'USD') return number;
  return `${number} ${value === 1 ? unit.slice(0, -1) : unit}`;
}

/** A number at an axis: short, whatever its magnitude. */
export const writeStep = (value: number, unit?: Unit): string =>
  new Intl.NumberFormat('en', {
    ...inUnit(unit),
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumSignificantDigits: 3,
  }).format(value);

const inUnit = (unit: Unit | undefined): Intl.NumberFormatOptions =>
  unit === 'USD' ? { style: 'currency', currency: 'USD' } : {};

export const totalOf = ({ values }: BarRow): number => Object.values(values).reduce((a, b) => a + b, 0);

const MAX_STEPS = 5;

/** Axis ticks at round numbers: 0, 100, 200 rather than 0, 95, 190. */
export function chooseSteps(rows: BarRow[]): number[] {
  const values = rows.flatMap((row) => Object.values(row.values));
  const highest = Math.max(0, ...rows.map(totalOf));
  if (highest === 0) return [0, 1];
  const scale = 10 ** Math.floor(Math.log10(highest / MAX_STEPS));
  const round = [1, 2, 2.5, 5, 10].find((step) => highest <= step * scale * MAX_STEPS) ?? 10;
  // Requests come in whole numbers.
  const step = values.every(Number.isInteger) ? Math.max(1, Math.ceil(round * scale)) : round * scale;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}
