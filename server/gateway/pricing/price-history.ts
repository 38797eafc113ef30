import { z } from 'zod';
import type { Picocredits } from '../../base/credits';
import { prisma } from '../../base/db';
import { RESOLUTIONS, UNIT_KINDS, type UnitKind } from '../protocols/neutral';
import type { ModelPrices, TokenPrices, UnitPrice } from './cost';
import { type ListPrices, writeCallPrice, writeListPrice } from './list-price';
import { describePeakHours } from './peak-hours';
import type { UnitPrices } from './unit-words';

const price = z.string().regex(/^\d+$/);
const tokenPrices = z.object({
  input: price,
  output: price,
  cache_read: price,
  cache_write_5m: price,
  cache_write_1h: price,
});
const storedPrices = tokenPrices.extend({
  tiers: z.array(tokenPrices.extend({ above: z.number() })),
  /** Picocredits for each search. */
  web_search: price.optional(),
  /** Picocredits for each unit of the kind. */
  input_unit: price.optional(),
  input_kind: z.enum(UNIT_KINDS).optional(),
  output_unit: price.optional(),
  output_kind: z.enum(UNIT_KINDS).optional(),
  resolution: z.enum(RESOLUTIONS).optional(),
  period: z.enum(['peak', 'off_peak']).optional(),
  peak_hours: z
    .object({ hours: z.array(z.string()), days: z.array(z.number()), holidays: z.array(z.string()) })
    .optional(),
});

/** Finds the prices that a request was charged at; null when the version is unknown. */
export async function findPrices(version: string): Promise<Omit<ModelPrices, 'automaticCacheWrites'> | null> {
  const stored = await prisma().modelPrice.findUnique({ where: { version }, select: { prices: true } });
  if (stored === null) return null;
  const { tiers, web_search: webSearch, ...base } = storedPrices.parse(stored.prices);
  const inputUnit = readUnit(base.input_unit, base.input_kind);
  const outputUnit = readUnit(base.output_unit, base.output_kind);
  return {
    ...readTokenPrices(base),
    tiers: tiers.map((tier) => ({ above: tier.above, ...readTokenPrices(tier) })),
    ...(webSearch !== undefined && { webSearch: BigInt(webSearch) as Picocredits }),
    ...(inputUnit && { inputUnit }),
    ...(outputUnit && { outputUnit }),
  };
}

const readUnit = (stored: string | undefined, kind: UnitKind | undefined): UnitPrice | null =>
  stored === undefined || kind === undefined ? null : { kind, price: BigInt(stored) as Picocredits };

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
  /** What this price is for, where it changes by the hour or the resolution. */
  condition: string | null;
  /** USD per million tokens: the base price, followed by tiers for longer prompts. */
  prices: (ListPrices & { name: string })[];
  /** USD per 1,000 web searches; null if the model ran none. */
  webSearch: string | null;
  /** What is counted besides text tokens. */
  units: UnitPrices;
};

/** Every past, current and future price of a model, latest first. */
export async function listPriceHistory(modelId: string): Promise<DatedPrice[]> {
  const rows = await prisma().modelPrice.findMany({
    where: { modelId },
    orderBy: [{ effectiveAt: 'desc' }, { version: 'desc' }],
  });
  return rows.map(({ version, effectiveAt, prices }) => {
    const {
      tiers,
      period,
      peak_hours: peak,
      web_search: search,
      resolution = null,
      ...base
    } = storedPrices.parse(prices);
    return {
      version,
      effectiveAt,
      condition: peak === undefined ? resolution : writeHours(period, describePeakHours(peak)),
      prices: [
        { name: 'Any length', ...writeListPrices(base) },
        ...tiers.map((tier) => ({
          name: `Above ${tier.above.toLocaleString('en')} tokens`,
          ...writeListPrices(tier),
        })),
      ],
      webSearch: search === undefined ? null : writeCallPrice(BigInt(search)),
      units: {
        inputUnit: readUnit(base.input_unit, base.input_kind) ?? undefined,
        outputUnit: readUnit(base.output_unit, base.output_kind) ?? undefined,
      },
    };
  });
}

const writeHours = (period: 'peak' | 'off_peak' | undefined, hours: string): string =>
  period === 'off_peak' ? `Off-peak: all hours except ${hours}` : `Peak: ${hours}`;

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
