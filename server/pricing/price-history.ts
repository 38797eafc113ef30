import { z } from 'zod';
import type { Picocredits } from '../credits';
import { prisma } from '../db';
import type { ModelPrices, TokenPrices } from './cost';
import { type ListPrices, writeListPrice } from './list-price';

const price = z.string().regex(/^\d+$/);
const tokenPrices = z.object({
  input: price,
  output: price,
  cache_read: price,
  cache_write_5m: price,
  cache_write_1h: price,
});
const storedPrices = tokenPrices.extend({ tiers: z.array(tokenPrices.extend({ above: z.number() })) });

/** Finds the prices that a request was charged at; null when the version is unknown. */
export async function findPrices(version: string): Promise<Omit<ModelPrices, 'automaticCacheWrites'> | null> {
  const stored = await prisma().modelPrice.findUnique({ where: { version }, select: { prices: true } });
  if (stored === null) return null;
  const { tiers, ...base } = storedPrices.parse(stored.prices);
  return {
    ...readTokenPrices(base),
    tiers: tiers.map((tier) => ({ above: tier.above, ...readTokenPrices(tier) })),
  };
}

function readTokenPrices(stored: z.output<typeof tokenPrices>): TokenPrices {
  const read = (text: string) => BigInt(text) as Picocredits;
  return {
    input: read(stored.input),
    output: read(stored.output),
    cacheRead: read(stored.cache_read),
    cacheWrite5m: read(stored.cache_write_5m),
    cacheWrite1h: read(stored.cache_write_1h),
  };
}

export type DatedPrice = {
  version: string;
  effectiveAt: Date;
  /** USD per million tokens: the base price, followed by tiers for longer prompts. */
  prices: (ListPrices & { name: string })[];
};

/** Every past, current and future price of a model, latest first. */
export async function listPriceHistory(modelId: string): Promise<DatedPrice[]> {
  const rows = await prisma().modelPrice.findMany({
    where: { modelId },
    orderBy: [{ effectiveAt: 'desc' }, { version: 'desc' }],
  });
  return rows.map(({ version, effectiveAt, prices }) => {
    const { tiers, ...base } = storedPrices.parse(prices);
    return {
      version,
      effectiveAt,
      prices: [
        { name: 'Any length', ...writeListPrices(base) },
        ...tiers.map((tier) => ({
          name: `Above ${tier.above.toLocaleString('en')} tokens`,
          ...writeListPrices(tier),
        })),
      ],
    };
  });
}

function writeListPrices(stored: z.output<typeof tokenPrices>): ListPrices {
  const write = (text: string) => writeListPrice(BigInt(text));
  return {
    input: write(stored.input),
    output: write(stored.output),
    cacheRead: write(stored.cache_read),
    cacheWrite5m: write(stored.cache_write_5m),
    cacheWrite1h: write(stored.cache_write_1h),
  };
}
