import json from './batch-models.json';
import type { DatedPrices, ModelEntry } from './catalog-schema';
import { halfPrice, type ListPrices } from './list-price';

/**
 * The price of a model in a batch: half of its list price, of models whose provider publishes one. Each is a model of its
 * own, so that a receipt names the exact price.
 */

const SUFFIX = ':batch';

/** `cacheRead` where a cached token does not cost half of its list price. */
const PUBLISHED: ReadonlyMap<string, string | undefined> = new Map(
  json.models.map((model) => [model.id, 'cacheRead' in model ? model.cacheRead : undefined]),
);

export const batchIdOf = (modelId: string): string => `${modelId}${SUFFIX}`;

/** The model whose requests a batch of this one contains: itself, unless it is the price of a batch. */
export const ordinaryIdOf = (id: string): string => (id.endsWith(SUFFIX) ? id.slice(0, -SUFFIX.length) : id);

/** Those of the models that have a price. */
export const listBatchModels = (entries: readonly ModelEntry[]): ModelEntry[] =>
  entries.filter(({ id }) => PUBLISHED.has(id)).map(toBatchModel);

/** A batch is billed as a sum of its tokens, so no prompt may reach a higher price than another. */
function toBatchModel(entry: ModelEntry): ModelEntry {
  const tiers = entry.prices.flatMap(({ tiers }) => tiers.map(({ above }) => above));
  const slash = entry.id.indexOf('/');
  return {
    ...entry,
    id: batchIdOf(entry.id),
    upstreamModel: entry.upstreamModel ?? entry.id.slice(slash + 1),
    name: `${entry.name}, in a batch`,
    type: 'batch',
    contextWindow: Math.min(entry.contextWindow ?? 0, ...tiers),
    maxOutputTokens: Math.min(entry.maxOutputTokens ?? 0, ...tiers),
    fallbacks: [],
    ...(entry.pricedBy && { pricedBy: [json.pricedBy] }),
    prices: entry.prices.map((dated) => toBatchPrices(dated, PUBLISHED.get(entry.id))),
  };
}

function toBatchPrices(
  { from, automaticCacheWrites, ...list }: DatedPrices,
  cacheRead: string | undefined,
): DatedPrices {
  const half = halve(list);
  return { from, automaticCacheWrites, ...half, cacheRead: cacheRead ?? half.cacheRead, tiers: [] };
}

const halve = ({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: ListPrices): ListPrices => ({
  input: halfPrice(input),
  output: halfPrice(output),
  cacheRead: halfPrice(cacheRead),
  cacheWrite5m: halfPrice(cacheWrite5m),
  cacheWrite1h: halfPrice(cacheWrite1h),
});
