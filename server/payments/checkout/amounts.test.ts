import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeCredits } from '../../base/credits';
import { creditsFor, toMajorUnits, toMinorUnits } from './amounts';

const bounds = { minimum: 5, maximum: 500 };

test.each([
  [5, 500],
  [25, 2500],
  [12.5, 1250],
  [19.99, 1999],
  [64.1, 6410],
  [499.99, 49999],
  [500, 50000],
])('an amount of %s is %s minor units', (amount, minor) => {
  expect(toMinorUnits(amount, bounds)).toBe(minor);
});

test.each([
  [4.99],
  [500.01],
  [10.005],
  [0],
  [-5],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  ['25'],
  [null],
  [undefined],
  [[25]],
  [25n],
])('an amount of %s is refused by its name', (amount) => {
  expect(() => toMinorUnits(amount, bounds)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'amount' }),
  );
});

test('every number of cents within the bounds survives JSON', () => {
  fc.assert(
    fc.property(fc.integer({ min: 500, max: 50000 }), (minor) => {
      expect(toMinorUnits(JSON.parse((minor / 100).toFixed(2)), bounds)).toBe(minor);
      expect(toMajorUnits(minor)).toBe(minor / 100);
    }),
  );
});

test('a dollar is a hundred credits', () => {
  expect(creditsFor(1000, '1')).toBe(wholeCredits(1000));
  expect(creditsFor(1999, '1')).toBe(wholeCredits(1999));
});

test('euros become whole credits at the rate, rounded down', () => {
  expect(creditsFor(1000, '1.08')).toBe(wholeCredits(1080));
  expect(creditsFor(1999, '1.08')).toBe(wholeCredits(2158)); // 2158.92
  expect(creditsFor(555, '1.083333')).toBe(wholeCredits(601)); // 601.249…
});

test('a rate that is not plain decimal text is refused', () => {
  for (const rate of ['', '1e3', '1.1234567', '-1', 'NaN'])
    expect(() => creditsFor(1000, rate)).toThrow('exchange rate');
});
