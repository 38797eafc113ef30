import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRising, LEAST_ERRORS, shareOf } from './rising';

const counts = fc.record({ errors: fc.nat(100_000), served: fc.nat(1_000_000) });
const QUIET = { errors: 10, served: 10_000 };

describe('errors of an app', () => {
  test.each([
    ['a third of the requests fails that hardly ever fail', { errors: 50, served: 100 }, QUIET, true],
    [
      'every request fails of an app without a history',
      { errors: 20, served: 0 },
      { errors: 0, served: 0 },
      true,
    ],
    ['nineteen requests fail', { errors: LEAST_ERRORS - 1, served: 0 }, QUIET, false],
    ['as many fail as ever', { errors: 200, served: 800 }, { errors: 2_000, served: 8_000 }, false],
    ['one in twenty fails', { errors: 500, served: 9_500 }, QUIET, false],
  ])('rise or not: %s', (_, hour, week, expected) => {
    expect(isRising(hour, week)).toBe(expected);
  });

  test('rise no less with more errors, and no more with more that is served', () => {
    fc.assert(
      fc.property(counts, counts, fc.nat(1_000), (hour, week, more) => {
        const worse = { ...hour, errors: hour.errors + more };
        const better = { ...hour, served: hour.served + more };
        if (isRising(hour, week)) expect(isRising(worse, week)).toBe(true);
        if (isRising(better, week)) expect(isRising(hour, week)).toBe(true);
      }),
    );
  });

  test('do not rise while their share is at most the usual one', () => {
    fc.assert(
      fc.property(counts, counts, (hour, week) => {
        if (shareOf(hour) <= shareOf(week) && shareOf(week) > 0) expect(isRising(hour, week)).toBe(false);
      }),
    );
  });
});
