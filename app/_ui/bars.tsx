import { Bar, CartesianGrid, BarChart as Chart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { type BarChartProps, type BarRow, chooseSteps, lookOf, writeValue } from './bar-row';

const HEIGHT = 240;

const compact = (value: number) =>
  new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(value);

/** The chart itself, with the library that draws it. */
export function Bars({ rows, series, unit = '', forecast }: BarChartProps) {
  const steps = chooseSteps(rows);
  return (
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
          ticks={steps}
          domain={[0, steps.at(-1) ?? 0]}
          tickFormatter={compact}
          tick={{ fill: 'var(--muted)', fontSize: 12 }}
        />
        <Tooltip
          cursor={{ fill: 'var(--sunken)' }}
          isAnimationActive={false}
          formatter={(value) => writeValue(Number(value), unit)}
          contentStyle={{
            background: 'var(--surface)',
            border: '1px solid var(--line)',
            borderRadius: 10,
            fontSize: 13,
          }}
          labelStyle={{ color: 'var(--muted)' }}
          itemStyle={{ color: 'var(--text)' }}
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
