import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Picocredits } from '../../base/credits';
import { NO_TOKENS } from '../protocols/neutral';
import { costOf, type ModelPrices, type TokenPrices, worstInputCost, worstOutputPrice } from './cost';
import { fillCacheClasses, type GivenPrices, readListPrice, writeListPrice } from './list-price';

function read(given: GivenPrices): TokenPrices {
  const list = fillCacheClasses(given);
  return Object.fromEntries(
    Object.entries(list).map(([name, price]) => [name, readListPrice(price)]),
  ) as TokenPrices;
}

function prices(base: GivenPrices, tiers: (GivenPrices & { above: number })[] = []): ModelPrices {
  return {
    ...read(base),
    automaticCacheWrites: false,
    tiers: tiers.map(({ above, ...given }) => ({ above, ...read(given) })),
  };
}

/** One dollar is 100 credits. */
const dollars = (cost: bigint): number => Number(cost) / 1e14;

const OPUS = prices({ input: '4', output: '20', cacheRead: '0.2', cacheWrite5m: '5', cacheWrite1h: '8' });
const GPT = prices({ input: '4', output: '20', cacheRead: '0.4', cacheWrite5m: '5' }, [
  { above: 271_999, input: '8', output: '30', cacheRead: '0.8', cacheWrite5m: '10' },
]);
const GEMINI = prices({ input: '1.25', output: '10', cacheRead: '0.125' }, [
  { above: 200_000, input: '2.5', output: '15', cacheRead: '0.25' },
]);

describe('the cost of tokens', () => {
  test('counts short and long cache writes and cache reads at their own prices', () => {
    const usage = {
      ...NO_TOKENS,
      input: 3,
      cacheRead: 100,
      cacheWrite5m: 12_000,
      cacheWrite1h: 304,
      output: 550,
    };
    expect(dollars(costOf(usage, OPUS))).toBe(0.073464);
  });

  test('counts cached and written input of a provider that caches automatically', () => {
    const usage = { ...NO_TOKENS, input: 500, cacheRead: 200, cacheWrite5m: 300, output: 100 };
    expect(dollars(costOf(usage, GPT))).toBe(0.00558);
  });

  test('moves the whole request to the tier of its prompt, including cached tokens', () => {
    expect(dollars(costOf({ ...NO_TOKENS, input: 50_000, cacheRead: 250_000, output: 1_000 }, GPT))).toBe(
      0.63,
    );
    expect(
      dollars(
        costOf({ ...NO_TOKENS, input: 150_000, cacheRead: 100_000, output: 400, reasoning: 300 }, GEMINI),
      ),
    ).toBe(0.406);
  });

  test('stays in the tier up to its last token', () => {
    const at = (input: number) => dollars(costOf({ ...NO_TOKENS, input }, GEMINI));
    expect([at(200_000), at(200_001)]).toEqual([0.25, 0.5000025]);
  });

  test('gives a class without a price the highest plausible one: a read as input, a write 1.25 and 2 times', () => {
    expect(fillCacheClasses({ input: '0.3', output: '1' })).toEqual({
      input: '0.3',
      output: '1',
      cacheRead: '0.3',
      cacheWrite5m: '0.375',
      cacheWrite1h: '0.6',
    });
  });
});

describe('what a hold reserves', () => {
  test('uses the highest tier that the prompt can reach', () => {
    expect(dollars(worstInputCost(200_000, GEMINI))).toBe(0.25);
    expect(dollars(worstInputCost(200_001, GEMINI))).toBe(0.5000025);
    expect(worstOutputPrice(200_000, GEMINI)).toBe(readListPrice('10'));
    expect(worstOutputPrice(200_001, GEMINI)).toBe(readListPrice('15'));
  });

  test('includes cache writes when the request or the provider may write', () => {
    const of = (model: ModelPrices, mark: 'none' | '5m' | '1h') =>
      dollars(worstInputCost(1_000_000, model, mark));
    expect([of(OPUS, 'none'), of(OPUS, '5m'), of(OPUS, '1h')]).toEqual([4, 5, 8]);
    expect(of({ ...OPUS, automaticCacheWrites: true }, 'none')).toBe(5);
  });

  test('is never less than the cost of a request within its token limits', () => {
    const tokens = fc.integer({ min: 0, max: 300_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(OPUS, GPT, GEMINI),
        fc.record({
          input: tokens,
          cacheRead: tokens,
          cacheWrite5m: tokens,
          cacheWrite1h: tokens,
          output: tokens,
        }),
        tokens,
        (model, counts, spare) => {
          const usage = { ...NO_TOKENS, ...counts };
          const most = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + spare;
          const held =
            worstInputCost(most, model, '1h') + BigInt(usage.output) * worstOutputPrice(most, model);
          expect(costOf(usage, model) <= held).toBe(true);
        },
      ),
    );
  });
});

test('a list price is read and written exactly, to eight decimals', () => {
  expect(readListPrice('0.003625')).toBe(362_500n as Picocredits);
  for (const text of ['0', '0.00000001', '1.25', '75', '999999.5'])
    expect(writeListPrice(readListPrice(text))).toBe(text);
  for (const bad of ['', '1.', '.5', '-1', '1e3', '0.000000001'])
    expect(() => readListPrice(bad)).toThrow(/Invalid price/);
});
