'use client';

import { Bar, CartesianGrid, BarChart as Chart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';

/** One bar: what it stands for, and a number per series. */
export type BarRow = { label: string; values: Record<string, number> };

type Props = {
  /** What the chart shows, e.g. "Credits spent per day by model". */
  title: string;
  rows: BarRow[];
  /** Series in the order they are stacked; at most six, put the rest together as "Other". */
  series: string[];
  /** How a value is written. `compact` shortens for the axis: 1.2K. */
  unit?: string;
};

const COLOURS = ['1', '2', '3', '4', '5', '6'].map((place) => `var(--series-${place})`);
const HEIGHT = 240;

const exact = (value: number, unit: string) =>
  `${new Intl.NumberFormat('en', { maximumFractionDigits: 4 }).format(value)}${unit && ` ${unit}`}`;
const compact = (value: number) => new Intl.NumberFormat('en', { notation: 'compact' }).format(value);

/** Stacked bars over time; the same numbers stand in a table for whoever cannot see the chart. */
export function BarChart({ title, rows, series, unit = '' }: Props) {
  return (
    <figure className="relative">
      <figcaption className="sr-only">{title}</figcaption>
      <div aria-hidden="true" className="h-60">
        <ResponsiveContainer width="100%" height={HEIGHT}>
          <Chart data={rows} margin={{ top: 8, right: 4, bottom: 0, left: -8 }} accessibilityLayer={false}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="label"
              tickLine={false}
              axisLine={false}
              minTickGap={28}
              tick={{ fill: 'var(--muted)', fontSize: 12 }}
            />
            <YAxis
              tickLine={false}
              axisLine={false}
              width={52}
              tickFormatter={compact}
              tick={{ fill: 'var(--muted)', fontSize: 12 }}
            />
            <Tooltip
              cursor={{ fill: 'var(--sunken)' }}
              isAnimationActive={false}
              formatter={(value) => exact(Number(value), unit)}
              contentStyle={{
                background: 'var(--surface)',
                border: '1px solid var(--line)',
                borderRadius: 10,
                fontSize: 13,
              }}
              labelStyle={{ color: 'var(--muted)' }}
              itemStyle={{ color: 'var(--text)' }}
            />
            {series.map((name, place) => (
              <Bar
                key={name}
                name={name}
                dataKey={(row: BarRow) => row.values[name] ?? 0}
                stackId="all"
                fill={COLOURS[place % COLOURS.length] ?? 'var(--series-6)'}
                maxBarSize={36}
                isAnimationActive={false}
              />
            ))}
          </Chart>
        </ResponsiveContainer>
      </div>
      {series.length > 1 && <Legend series={series} />}
      <NumbersTable title={title} rows={rows} series={series} unit={unit} />
    </figure>
  );
}

function Legend({ series }: { series: string[] }) {
  return (
    <ul aria-hidden="true" className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-muted">
      {series.map((name, place) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg width="10" height="10" aria-hidden="true">
            <rect width="10" height="10" rx="3" fill={COLOURS[place % COLOURS.length]} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function NumbersTable({ title, rows, series, unit }: Required<Props>) {
  return (
    // A table alone grows with its content, however small it is told to be.
    <div className="sr-only">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              {series.map((name) => (
                <td key={name}>{exact(row.values[name] ?? 0, unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
