import { expect, test } from 'vitest';
import { expiryOf } from './saved-cards';

const card = (expiryYear: number, expiryMonth: number) => ({
  id: 'pm_1',
  brand: 'visa',
  last4: '4242',
  expiryYear,
  expiryMonth,
});

test.each([
  [2026, 10, 'expired'],
  [2026, 11, 'expires_soon'],
  [2026, 12, 'expires_soon'],
  [2027, 1, 'valid'],
  [2025, 12, 'expired'],
  [2036, 1, 'valid'],
] as const)('on November 30, 2026, a card of %i/%i is %s', (year, month, expiry) => {
  expect(expiryOf(card(year, month), new Date('2026-11-30T23:59:59Z'))).toBe(expiry);
});

test('the year ends between two months', () => {
  expect(expiryOf(card(2026, 12), new Date('2026-12-31T23:59:59Z'))).toBe('expires_soon');
  expect(expiryOf(card(2026, 12), new Date('2027-01-01T00:00:00Z'))).toBe('expired');
  expect(expiryOf(card(2027, 1), new Date('2026-12-01T00:00:00Z'))).toBe('expires_soon');
});
