import { describe, expect, it } from 'vitest';
import { chooseSteps } from '@/app/_ui/bar-row';
import { barsOf, withForecast } from '@/server/reports/activity/bars';

const NOVEMBER = { from: '2026-11-01', to: '2026-11-04' };
const point = (name: string, value: number, day = '2026-11-02') => ({ day, name, value });

describe('the bars of a chart', () => {
  it('cover every day of the period, including days without activity', () => {
    const { rows, series } = barsOf([point('a', 1), point('b', 3), point('a', 1)], NOVEMBER, '7d');
    expect(series).toEqual(['b', 'a']);
    expect(rows).toEqual([
      { label: 'Nov 1', values: {} },
      { label: 'Nov 2', values: { a: 2, b: 3 } },
      { label: 'Nov 3', values: {} },
    ]);
  });

  it('are monthly for long periods, and combine small series', () => {
    const points = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, place) => point(name, 10 - place));
    const { rows, series } = barsOf(points, { from: '2026-10-01', to: '2026-12-01' }, '12m');
    expect(series).toEqual(['a', 'b', 'c', 'd', 'e', 'Other']);
    expect(rows.map(({ label }) => label)).toEqual(['Oct 26', 'Nov 26']);
    expect(rows[1]?.values.Other).toBe(5 + 4);
  });

  it('end with what this month is still expected to bring', () => {
    const days = [
      { day: '2026-11-03', value: 4 },
      { day: '2026-11-04', value: 5 },
    ];
    const daily = withForecast(barsOf([point('a', 1, '2026-11-03')], NOVEMBER, '30d'), days, '30d');
    expect(daily.series).toEqual(['a', 'Forecast']);
    expect(daily.rows.slice(1)).toEqual([
      { label: 'Nov 2', values: {} },
      { label: 'Nov 3', values: { a: 1, Forecast: 4 } },
      { label: 'Nov 4', values: { Forecast: 5 } },
    ]);
    const year = { from: '2026-10-01', to: '2026-12-01' };
    const monthly = withForecast(barsOf([point('a', 1)], year, '12m'), days, '12m');
    expect(monthly.rows).toEqual([
      { label: 'Oct 26', values: {} },
      { label: 'Nov 26', values: { a: 1, Forecast: 9 } },
    ]);
  });

  it.each([
    [[380], [0, 100, 200, 300, 400]],
    [[3], [0, 1, 2, 3]],
    [[0.37], [0, 0.1, 0.2, 0.3, 0.4]],
    [
      [900, 300],
      [0, 200, 400, 600, 800, 1000],
    ],
    [[], [0, 1]],
  ])('of %j have round numbers on the axis', (values, steps) => {
    const rows = values.map((value) => ({ label: 'x', values: { value } }));
    expect(chooseSteps(rows).map((step) => Number(step.toFixed(9)))).toEqual(steps);
  });
});
