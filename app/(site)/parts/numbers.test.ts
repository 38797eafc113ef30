import { expect, test } from 'vitest';
import { formatRequestCredits } from './numbers';

test('credits for requests align in a column, and small amounts keep their digits', () => {
  expect([1, 0.46875, 0.0625, 1234.5].map(formatRequestCredits)).toEqual([
    '1.0000',
    '0.4688',
    '0.0625',
    '1,234.5000',
  ]);
  expect(formatRequestCredits(0.00001234)).toBe('0.0000123');
});
