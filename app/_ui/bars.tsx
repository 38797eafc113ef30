import { Bar, CartesianGrid, BarChart as Chart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import {
  type BarChartProps,
  type BarRow,
  chooseSteps,
  lookOf,
  totalOf,
  writeStep,
  writeValue,
} from './bar-row';
import { SeriesMark } from './series-mark';

const HEIGHT = 240;

const DIGIT_WIDTH = 7;
const AXIS_GAP = 12;

/** The chart itself, with the library that draws it. */
export function Bars({ rows, series, unit, forecast }: BarChartProps) {
  const steps = chooseSteps(rows);
  const longest = Math.max(...steps.map((step) => writeStep(step, unit).length));
  return (
    <ResponsiveContainer width="100%" height={HEIGHT}>
      <Chart data={rows} margin={{ top: 8, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
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
          width={longest * DIGIT_WIDTH + AXIS_GAP}
          ticks={steps}
          domain={[0, steps.at(-1) ?? 0]}
          tickFormatter={(step: number) => writeStep(step, unit)}
          tick={{ fill: 'var(--muted)', fontSize: 12 }}
        />
        <Tooltip
          cursor={{ fill: 'var(--sunken)' }}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const row = payload?.[0]?.payload as BarRow | undefined;
            return active && row ? (
              <Numbers row={row} series={series} unit={unit} forecast={forecast} />
            ) : null;
          }}
        />
        {series.map((name, index) => (
          <Bar
            key={name}
            name={name}
            dataKey={(row: BarRow) => row.values[name] ?? 0}
            stackId="all"
            {...lookOf(index, name === forecast)}
            maxBarSize={36}
            isAnimationActive={false}
          />
        ))}
      </Chart>
    </ResponsiveContainer>
  );
}

type NumbersProps = Pick<BarChartProps, 'series' | 'unit' | 'forecast'> & { row: BarRow };

/** The numbers of one bar: their total, and the series in the order of the legend. */
function Numbers({ row, series, unit, forecast }: NumbersProps) {
  const shown = series.map((name, index) => ({ name, index, value: row.values[name] ?? 0 }));
  return (
    <div className="rounded-lg border border-line bg-surface px-3 py-2 text-[13px] shadow-lg">
      <p className="flex justify-between gap-6 font-medium">
        <span>{row.label}</span>
        <span className="tabular-nums">{writeValue(totalOf(row), unit)}</span>
      </p>
      {series.length > 1 &&
        shown
          .filter(({ value }) => value !== 0)
          .map(({ name, index, value }) => (
            <p key={name} className="mt-1 flex items-center gap-1.5 text-muted">
              <SeriesMark index={index} isForecast={name === forecast} />
              {name}
              <span className="ml-auto pl-6 text-text tabular-nums">{writeValue(value, unit)}</span>
            </p>
          ))}
    </div>
  );
}
