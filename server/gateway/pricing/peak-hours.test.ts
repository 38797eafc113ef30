import { describe, expect, test } from 'vitest';
import { describePeakHours, isPeak, readPeakHours } from './peak-hours';

const PEAK = {
  hours: ['01:00-04:00', '06:00-10:00'],
  days: [1, 2, 3, 4, 5],
  holidays: ['2027-01-01'],
};
const calendar = readPeakHours(PEAK);

describe('peak hours', () => {
  test.each([
    ['2026-11-23T00:59:59.999Z', false, 'the millisecond before'],
    ['2026-11-23T01:00:00Z', true, 'the first moment on Monday'],
    ['2026-11-23T03:59:59.999Z', true, 'the last millisecond of a range'],
    ['2026-11-23T04:00:00Z', false, 'the end of a range'],
    ['2026-11-27T09:59:59Z', true, 'Friday'],
    ['2026-11-28T02:00:00Z', false, 'Saturday'],
    ['2026-11-29T02:00:00Z', false, 'Sunday'],
    ['2027-01-01T02:00:00Z', false, 'a holiday on a Friday'],
  ])('at %s: %s (%s)', (time, expected) => {
    expect(isPeak(calendar, Date.parse(time))).toBe(expected);
  });

  test('of every day until midnight have no gap', () => {
    const always = readPeakHours({ hours: ['00:00-24:00'], days: [1, 2, 3, 4, 5, 6, 7], holidays: [] });
    for (let hour = 0; hour < 7 * 24; hour++) {
      const start = Date.parse('2026-11-22T00:00:00Z') + hour * 3_600_000;
      expect([isPeak(always, start), isPeak(always, start + 3_599_999)]).toEqual([true, true]);
    }
  });

  test('are 35 of the 168 hours of a week', () => {
    const start = Date.parse('2026-11-23T00:00:00Z');
    const hours = Array.from({ length: 7 * 24 }, (_, hour) => isPeak(calendar, start + hour * 3_600_000));
    expect(hours.filter(Boolean)).toHaveLength(35);
  });

  test('are described in words', () => {
    expect(describePeakHours(PEAK)).toBe(
      '01:00–04:00 and 06:00–10:00 UTC, Monday to Friday, except public holidays',
    );
    expect(describePeakHours({ hours: ['09:00-24:00'], days: [1, 2, 3, 4, 5, 6, 7], holidays: [] })).toBe(
      '09:00–24:00 UTC, every day',
    );
    expect(describePeakHours({ hours: ['09:00-17:00'], days: [6, 7], holidays: [] })).toBe(
      '09:00–17:00 UTC, Saturday, Sunday',
    );
  });
});
