import { expect, test } from 'vitest';
import { countAnswers } from './purchase-amount';

test.each([
  [1000, 1.125, 880],
  [500, 1.125, 440],
  [10_000, 0.011, 900_000],
  [25, 1, 25],
  [3, 2, 1],
])(
  '%d credits are about that many answers of %d credits, never more, to two digits',
  (credits, each, answers) => {
    expect(countAnswers(credits, each)).toBe(answers);
  },
);

test.each([
  [1, 2],
  [0, 1],
  [5, 0],
])('%d credits say nothing about answers of %d credits', (credits, each) => {
  expect(countAnswers(credits, each)).toBeNull();
});
