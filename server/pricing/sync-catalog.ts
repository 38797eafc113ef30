import { prisma } from '../db';
import { type PriceVersion, priceVersions } from './catalog';
import type { TokenPrices } from './cost';

/** Writes new models and prices to the database. The history is append-only. */
export async function syncCatalog(): Promise<void> {
  const known = priceVersions();
  await prisma().model.createMany({
    data: known.map(({ model: { id, name, provider } }) => ({ id, name, provider })),
    skipDuplicates: true,
  });
  await prisma().modelPrice.createMany({
    data: known.flatMap(({ model, versions }) => versions.map((version) => toRow(model.id, version))),
    skipDuplicates: true,
  });
}

function toRow(modelId: string, { name, from, prices }: PriceVersion) {
  return {
    version: name,
    modelId,
    effectiveAt: new Date(`${from}T00:00:00Z`),
    prices: {
      ...writeTokenPrices(prices),
      tiers: prices.tiers.map((tier) => ({ above: tier.above, ...writeTokenPrices(tier) })),
    },
  };
}

/** JSON has no integers of this size, so they are written as text. */
function writeTokenPrices({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenPrices) {
  return {
    input: String(input),
    output: String(output),
    cache_read: String(cacheRead),
    cache_write_5m: String(cacheWrite5m),
    cache_write_1h: String(cacheWrite1h),
  };
}
