import { prisma } from '../db';
import { type OffPeak, type PriceVersion, priceVersions } from './catalog';
import type { ModelPrices, TokenPrices } from './cost';

/** Writes new models and prices to the database. The history is append-only. */
export async function syncCatalog(): Promise<void> {
  const known = priceVersions();
  await prisma().model.createMany({
    data: known.map(({ model: { id, name, provider } }) => ({ id, name, provider })),
    skipDuplicates: true,
  });
  await prisma().modelPrice.createMany({
    data: known.flatMap(({ model, versions }) => versions.flatMap((version) => toRows(model.id, version))),
    skipDuplicates: true,
  });
}

function toRows(modelId: string, { name, from, prices, offPeak }: PriceVersion) {
  const effectiveAt = new Date(`${from}T00:00:00Z`);
  const row = (version: string, written: ReturnType<typeof writePrices>, hours: object) => ({
    version,
    modelId,
    effectiveAt,
    prices: { ...written, ...hours },
  });
  if (offPeak === null) return [row(name, writePrices(prices), {})];
  return [
    row(name, writePrices(prices), writeHours('peak', offPeak)),
    row(offPeak.name, writePrices(offPeak.prices), writeHours('off_peak', offPeak)),
  ];
}

const writePrices = (prices: ModelPrices) => ({
  ...writeTokenPrices(prices),
  tiers: prices.tiers.map((tier) => ({ above: tier.above, ...writeTokenPrices(tier) })),
  ...(prices.webSearch !== undefined && { web_search: String(prices.webSearch) }),
});

function writeHours(period: 'peak' | 'off_peak', { peak: { hours, days, holidays } }: OffPeak) {
  return { period, peak_hours: { hours: [...hours], days: [...days], holidays: [...holidays] } };
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
