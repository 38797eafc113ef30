import { DATA_RULES, type DataRule, writeRules } from '@/server/base/data-rules';
import { SANDBOX_FORMATS } from '@/server/base/endpoints';
import { isLive } from '@/server/base/env';
import { type CatalogModel, catalogModels } from '@/server/gateway/pricing/catalog';
import { describePeakHours } from '@/server/gateway/pricing/peak-hours';
import { findServedModel, meetsRules } from '@/server/gateway/pricing/served';
import { exampleOf, type UnitExample } from '@/server/gateway/pricing/unit-example';

/** A model as the price table shows it. `prices` are exact, for the estimate of a request. */
export type PriceRow = Pick<CatalogModel, 'id' | 'type' | 'name' | 'provider' | 'released' | 'prices'> & {
  contextWindow: number;
  maxOutputTokens: number;
  /** USD per million tokens. */
  input: number;
  /** 0 for models that write no text. */
  output: number;
  cacheRead: number;
  hasTiers: boolean;
  /** What the estimate of a request is for, if the model is not priced by text tokens. */
  example: UnitExample | null;
  /** Set if the price is that of peak hours. */
  offPeak: { input: number; output: number; peakHours: string } | null;
  capabilities: string[];
  /** The data rules that the provider meets, or that of a fallback. */
  rules: DataRule[];
  /** Whether this service serves the model now. */
  isServed: boolean;
};

/**
 * The whole catalogue, newest first; with a live Stripe key, only the models that are served. Prices in batches follow
 * from those of their models.
 */
export function priceRows(): PriceRow[] {
  const rows = catalogModels()
    .filter(({ type }) => type !== 'batch')
    .map(toRow);
  return (isLive() ? rows.filter(({ isServed }) => isServed) : rows).sort(
    (a, b) => rank(a) - rank(b) || b.released.localeCompare(a.released) || a.id.localeCompare(b.id),
  );
}

export const isSandbox = ({ provider }: { provider: string }): boolean => provider in SANDBOX_FORMATS;

/** Sandbox models come last: they are for tests. */
const rank = (row: PriceRow): number => (isSandbox(row) ? 1 : 0);

function toRow(model: CatalogModel): PriceRow {
  const { id, type, name, provider, released, prices, contextWindow, maxOutputTokens, listPrices } = model;
  return {
    id,
    type,
    name,
    provider,
    released,
    prices,
    contextWindow,
    maxOutputTokens,
    input: Number(listPrices.input),
    output: Number(listPrices.output),
    cacheRead: Number(listPrices.cacheRead),
    hasTiers: listPrices.tiers.length > 0,
    example: exampleOf(model),
    offPeak: model.offPeak && {
      input: Number(model.offPeak.listPrices.input),
      output: Number(model.offPeak.listPrices.output),
      peakHours: describePeakHours(model.offPeak.peak),
    },
    capabilities: Object.entries(model.capabilities).flatMap(([capability, has]) =>
      has ? [capability] : [],
    ),
    rules: DATA_RULES.filter((rule) => meetsRules(model, writeRules([rule]))),
    isServed: findServedModel(id) !== null,
  };
}
