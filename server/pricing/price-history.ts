import { z } from 'zod';
import type { Picocredits } from '../credits';
import { prisma } from '../db';
import type { ModelPrices, TokenPrices } from './cost';

const price = z.string().regex(/^\d+$/);
const tokenPrices = z.object({
  input: price,
  output: price,
  cache_read: price,
  cache_write_5m: price,
  cache_write_1h: price,
});
const storedPrices = tokenPrices.extend({ tiers: z.array(tokenPrices.extend({ above: z.number() })) });

/** The prices that a request was charged with; null when the version is not known. */
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
