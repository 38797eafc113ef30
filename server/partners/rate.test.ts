import { expect, test } from 'vitest';
import { describeRaise } from './rate';

test.each([
  [2_000, 3_500, '12.5'],
  [0, 10_000, '100'],
  [2_500, 2_501, '0.008'],
  [3_000, 3_300, '2.31'],
])('a raise from %i to %i basis points says that users pay %s percent more', (from, to, expected) => {
  expect(describeRaise(from, to)).toBe(expected);
});

test('a rate that stays or falls is no raise', () => {
  expect([describeRaise(2_500, 2_500), describeRaise(2_500, 0)]).toEqual([null, null]);
});
