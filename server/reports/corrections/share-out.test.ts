import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareOut } from './share-out';

const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 50 });

test('shares add up to the amount, none differs from its proportion by a whole unit, and none exceeds its weight', () => {
  fc.assert(
    fc.property(weights, fc.nat({ max: 1_000 }), (given, permille) => {
      const total = given.reduce((sum, weight) => sum + weight, 0n);
      const amount = (total * BigInt(permille)) / 1_000n;
      const shares = shareOut(amount, given);
      expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(total === 0n ? 0n : amount);
      for (const [at, share] of shares.entries()) {
        const exact = amount * (given[at] ?? 0n);
        const unit = total || 1n;
        expect(share * unit > exact - unit && share * unit < exact + unit).toBe(true);
        expect(share).toBeLessThanOrEqual(given[at] ?? 0n);
      }
    }),
  );
});

test('the same weights get the same shares', () => {
  expect(shareOut(2n, [1n, 1n, 1n])).toEqual([1n, 1n, 0n]);
  expect(shareOut(10n, [7n, 0n, 3n])).toEqual([7n, 0n, 3n]);
});
