/** One bar: what it stands for, and a number per series. */
export type BarRow = { label: string; values: Record<string, number> };

export type BarChartProps = {
  /** What the chart shows, e.g. "Credits spent per day by model". */
  title: string;
  rows: BarRow[];
  /** Series in the order they are stacked; at most six, put the rest together as "Other". */
  series: string[];
  /** What the numbers count. */
  unit?: string;
};

const SERIES = 6;

export const colourOf = (place: number): string => `var(--series-${(place % SERIES) + 1})`;

export const writeValue = (value: number, unit: string): string =>
  `${new Intl.NumberFormat('en', { maximumFractionDigits: 4 }).format(value)}${unit && ` ${unit}`}`;
