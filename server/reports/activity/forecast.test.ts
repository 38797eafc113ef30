import { describe, expect, test } from 'vitest';
import { forecastMonth } from './forecast';
import { daysBetween } from './periods';

/** Earnings by day, from a day to the one before another. */
const earned = (from: string, to: string, amountOn: (day: string) => bigint) =>
  daysBetween({ from, to }).map((day) => ({ day, net: amountOn(day) }));

const isSunday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() === 0;

describe('the forecast of a month', () => {
  test('is the same amount a day if every day was alike', () => {
    const forecast = forecastMonth(
      earned('2026-09-01', '2026-11-10', () => 100n),
      '2026-11-10',
    );
    expect(forecast).toMatchObject({ expected: 3_000n, low: 3_000n, high: 3_000n });
    expect(forecast?.days[0]).toEqual({ day: '2026-11-10', amount: 100n });
    expect(forecast?.days.at(-1)).toEqual({ day: '2026-11-30', amount: 100n });
    expect(forecast?.days).toHaveLength(21);
  });

  test('follows the weekdays, and one unusual day does not change it', () => {
    const days = earned('2026-09-01', '2026-11-10', (day) =>
      day === '2026-10-21' ? 1_000_000n : day === '2026-10-28' ? -500_000n : isSunday(day) ? 700n : 100n,
    );
    const forecast = forecastMonth(days, '2026-11-10');
    // November has 25 other days and 5 Sundays.
    expect(forecast).toMatchObject({ expected: 25n * 100n + 5n * 700n });
    expect([forecast?.low, forecast?.high]).toEqual([forecast?.expected, forecast?.expected]);
  });

  test.each([
    ['the last day of a month', '2026-11-30', 30, ['2026-11-30']],
    ['the last day but one', '2026-12-30', 31, ['2026-12-30', '2026-12-31']],
    ['the last day of February', '2027-02-28', 28, ['2027-02-28']],
    ['a leap day', '2028-02-29', 29, ['2028-02-29']],
  ])('on %s covers what is left of it', (_, today, length, left) => {
    const days = earned('2026-01-01', today, () => 10n);
    const forecast = forecastMonth(days, today);
    expect(forecast?.days.map(({ day }) => day)).toEqual(left);
    expect(forecast?.expected).toBe(10n * BigInt(length));
  });

  test('on the first of a month reads the months before', () => {
    const forecast = forecastMonth(
      earned('2026-10-01', '2026-12-01', () => 10n),
      '2026-12-01',
    );
    expect(forecast).toMatchObject({ expected: 310n });
    expect(forecast?.days).toHaveLength(31);
  });

  test('counts what today has brought, and adds only what an ordinary day exceeds it by', () => {
    const days = earned('2026-10-01', '2026-11-30', () => 100n);
    const at = (net: bigint) => forecastMonth([...days, { day: '2026-11-30', net }], '2026-11-30');
    expect(at(40n)).toMatchObject({ expected: 3_000n, days: [{ day: '2026-11-30', amount: 60n }] });
    expect(at(900n)).toMatchObject({ expected: 3_800n, days: [{ day: '2026-11-30', amount: 0n }] });
    expect(at(-50n)).toMatchObject({ expected: 3_000n });
  });

  test('has the range between the quartiles of the same weekdays', () => {
    // Eight Mondays before Monday 30 November, the only day left: 10, 20, … 80.
    const mondays = Array.from({ length: 8 }, (_, week) =>
      new Date(Date.UTC(2026, 9, 5 + 7 * week)).toISOString().slice(0, 10),
    );
    const days = mondays.map((day, index) => ({ day, net: BigInt(10 * (index + 1)) }));
    const inNovember = 50n + 60n + 70n + 80n;
    expect(forecastMonth(days, '2026-11-30')).toMatchObject({
      low: inNovember + 27n,
      expected: inNovember + 45n,
      high: inNovember + 62n,
    });
  });

  test('does not exist before 14 whole days of earnings', () => {
    const since = (day: string) =>
      forecastMonth(
        earned(day, '2026-11-21', () => 100n),
        '2026-11-20',
      );
    expect(since('2026-11-07')).toBeNull();
    expect(since('2026-11-06')).not.toBeNull();
    expect(forecastMonth([], '2026-11-20')).toBeNull();
    // Days without earnings before the first ones are no history.
    expect(forecastMonth([{ day: '2026-10-01', net: 0n }], '2026-11-20')).toBeNull();
  });
});
