import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chargeFor, creditsToJson, formatCredits, type Picocredits, parseCredits } from './credits';

const exact = fc.bigInt({ min: 0n, max: 10n ** 22n }).map((amount) => amount as Picocredits);
const rate = fc.integer({ min: 0, max: 10_000 });

describe('chargeFor', () => {
  test('rounds the charge up once, and never by a whole microcredit', () => {
    fc.assert(
      fc.property(exact, rate, (cost, rateBp) => {
        const { charge } = chargeFor(cost, rateBp);
        const precise = cost * BigInt(10_000 + rateBp);
        expect(charge * 10n ** 10n).toBeGreaterThanOrEqual(precise);
        expect(charge * 10n ** 10n - precise).toBeLessThan(10n ** 10n);
      }),
    );
  });

  test('splits the charge into cost and commission without a remainder', () => {
    fc.assert(
      fc.property(exact, rate, (cost, rateBp) => {
        const { charge, providerCost, partnerShare } = chargeFor(cost, rateBp);
        expect(providerCost + partnerShare).toBe(charge);
        expect(partnerShare).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});

describe('credits as text and JSON', () => {
  test('text converts exactly in both directions', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (amount) => {
        expect(parseCredits(formatCredits(amount))).toBe(amount);
      }),
    );
  });

  test.each(['', 'abc', '1.', '.5', '1e3', '1.0000001', '--1', '1 2'])('refuses %j', (text) => {
    expect(parseCredits(text)).toBeNull();
  });

  test('JSON numbers show at most six decimals', () => {
    expect(JSON.stringify(creditsToJson(1_234_567n))).toBe('1.234567');
    expect(JSON.stringify(creditsToJson(100_000_000n))).toBe('100');
  });
});
