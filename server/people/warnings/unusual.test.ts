import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findUnusual, HISTORY_DAYS, LEAST_UNUSUAL } from './unusual';

const credits = (...amounts: number[]): bigint[] => amounts.map((amount) => BigInt(amount) * 1_000_000n);
const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
const history = fc.array(amount, { minLength: 7, maxLength: HISTORY_DAYS });
const HUGE = 10n ** 18n;

const USUAL = credits(20, 25, 30, 35, 40, 40, 45, 50, 60, 55, 400);

describe('unusual spending', () => {
  test.each([
    ['three times the median is not unusual', 120, false],
    ['more than the usual days explain is', 412, true],
    ['an amount of less than 100 credits never is', 99, false],
  ])('%s', (_, today, isUnusual) => {
    expect(findUnusual(credits(today)[0] ?? 0n, USUAL) !== null).toBe(isUnusual);
  });

  test('is explained with what most days cost, without the extreme ones', () => {
    expect(findUnusual(412_000_000n, USUAL)).toEqual({
      today: 412_000_000n,
      usual: { from: 25_000_000n, to: 60_000_000n },
    });
  });

  test('needs seven days with use in the history', () => {
    expect(findUnusual(HUGE, credits(1, 1, 1, 1, 1, 1))).toBeNull();
    expect(findUnusual(HUGE, credits(1, 1, 1, 1, 1, 1, 1))).not.toBeNull();
  });

  test('does not depend on the order of the days', () => {
    fc.assert(
      fc.property(amount, history, (today, days) => {
        expect(findUnusual(today, [...days].reverse())).toEqual(findUnusual(today, days));
      }),
    );
  });

  test('is not hidden by spending even more', () => {
    fc.assert(
      fc.property(amount, amount, history, (today, more, days) => {
        if (findUnusual(today, days)) expect(findUnusual(today + more, days)).not.toBeNull();
      }),
    );
  });

  test('is never an amount within the usual range, nor one below the minimum', () => {
    fc.assert(
      fc.property(amount, history, (today, days) => {
        const found = findUnusual(today, days);
        if (!found) return;
        expect(today).toBeGreaterThanOrEqual(LEAST_UNUSUAL);
        const sorted = [...days].sort((a, b) => Number(a - b));
        const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n;
        expect(today).toBeGreaterThan(3n * median);
        expect(found.usual.from).toBeLessThanOrEqual(found.usual.to);
      }),
    );
  });

  test('does not depend on the unit above the minimum', () => {
    fc.assert(
      fc.property(amount, history, fc.bigInt({ min: 2n, max: 100n }), (some, days, factor) => {
        const today = some + LEAST_UNUSUAL;
        const larger = findUnusual(
          today * factor,
          days.map((day) => day * factor),
        );
        expect(larger !== null).toBe(findUnusual(today, days) !== null);
      }),
    );
  });

  test('is found although up to a third of the days were extreme, and those do not make a usual day unusual', () => {
    const usual = fc.array(fc.bigInt({ min: 200_000_000n, max: 600_000_000n }), {
      minLength: 14,
      maxLength: 18,
    });
    const extreme = fc.array(fc.constantFrom(HUGE, 1n), { maxLength: 7 });
    fc.assert(
      fc.property(usual, extreme, (days, outliers) => {
        const mixed = [...outliers, ...days];
        expect(findUnusual(10_000_000_000n, mixed)).not.toBeNull();
        expect(findUnusual(600_000_000n, mixed)).toBeNull();
      }),
    );
  });
});
