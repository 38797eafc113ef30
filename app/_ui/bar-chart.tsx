'use client';

import dynamic from 'next/dynamic';
import { type BarChartProps, writeValue } from './bar-row';
import { SeriesMark } from './series-mark';

/** Loaded after the page, which is usable before its largest library arrives. */
const Bars = dynamic(() => import('./bars').then((module) => module.Bars), {
  ssr: false,
  loading: () => <div className="h-full animate-pulse rounded-lg bg-sunken" />,
});

/** Stacked bars over time; a table has the same numbers for people who cannot see the chart. */
export function BarChart({ title, rows, series, unit, forecast }: BarChartProps) {
  return (
    <figure className="relative">
      <figcaption className="sr-only">{title}</figcaption>
      <div aria-hidden="true" className="h-60">
        <Bars title={title} rows={rows} series={series} unit={unit} forecast={forecast} />
      </div>
      {series.length > 1 && <Legend series={series} forecast={forecast} />}
      <NumbersTable title={title} rows={rows} series={series} unit={unit} />
    </figure>
  );
}

function Legend({ series, forecast }: Pick<BarChartProps, 'series' | 'forecast'>) {
  return (
    <ul aria-hidden="true" className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-[13px] text-muted">
      {series.map((name, index) => (
        <li key={name} className="flex items-center gap-1.5">
          <SeriesMark index={index} isForecast={name === forecast} />
          {name}
        </li>
      ))}
    </ul>
  );
}

function NumbersTable({ title, rows, series, unit }: Omit<BarChartProps, 'forecast'>) {
  return (
    // A table by itself grows with its content, whatever size it is given.
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
                <td key={name}>{writeValue(row.values[name] ?? 0, unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
