import type { z } from 'zod';
import type { ProviderName } from '../../server/endpoints';
import type { modelSchema } from '../../server/pricing/catalog-schema';
import { fillCacheClasses, type ListPrices } from '../../server/pricing/list-price';
import type { FoundPrices } from './genai-prices';
import type { ModelFacts } from './models-dev';
import type { ModelOverride } from './overrides';
import { isWanted } from './selection';
import { type SourcePrices, takeHigher } from './source-prices';

/** Builds one model of the catalogue from its sources. */

export type CatalogEntry = z.input<typeof modelSchema>;
export type Built = { entry: CatalogEntry; differences: string[] } | { leftOut: string | null };

export type Facts = {
  provider: ProviderName;
  model: string;
  modelsDev: ModelFacts | undefined;
  genaiPrices: FoundPrices | undefined;
  override: ModelOverride | undefined;
  /** The model as the catalogue has it: values that did not change keep their date. */
  before: CatalogEntry | undefined;
  /** The dates of the sources. */
  dates: { modelsDev: string; genaiPrices: string };
};

/** A reason of null is not reported: the model was never a candidate. */
export function buildModel(facts: Facts): Built {
  const { provider, model, modelsDev, genaiPrices, override } = facts;
  const limits = { ...modelsDev, ...override };
  const { name, released, contextWindow, maxOutputTokens, capabilities } = limits;
  if (!name || !released || !capabilities) return { leftOut: 'no source of its limits' };
  if (!override?.capabilities && modelsDev?.writesText === false) return { leftOut: null };
  if (!isWanted(provider, model, { released, capabilities })) return { leftOut: null };
  if (modelsDev?.isRetired || genaiPrices?.isRetired) return { leftOut: 'retired by its vendor' };
  if (/(^|[-/])latest($|-)/.test(model)) return { leftOut: 'an alias that moves has no exact price' };
  if (!contextWindow || !maxOutputTokens) return { leftOut: 'no limits' };

  const merged = takeHigher(modelsDev?.prices ?? [], genaiPrices?.current ?? []);
  const prices = override?.prices ?? datePrices(facts, merged.prices, contextWindow);
  if (prices === null) return { leftOut: 'no complete price' };
  return {
    entry: {
      id: `${provider}/${model}`,
      name,
      released,
      contextWindow,
      maxOutputTokens: Math.min(maxOutputTokens, contextWindow),
      capabilities: [...capabilities].sort(),
      prices: prices.map(withoutDefaults),
    },
    // A decision resolves the difference, and a prompt beyond the context is impossible.
    differences: merged.differences
      .filter(({ above }) => !override?.prices && above < contextWindow)
      .map(({ name: priceClass, above, prices: [a, b], used }) => {
        const label = above === 0 ? priceClass : `${priceClass} above ${above}`;
        return `${provider}/${model} ${label}: models.dev ${a}, genai-prices ${b}: ${used} is used`;
      }),
  };
}

type Priced = CatalogEntry['prices'][number];

function datePrices(
  { provider, genaiPrices, before, dates }: Facts,
  current: SourcePrices,
  contextWindow: number,
): Priced[] | null {
  const writes =
    provider !== 'anthropic' && current.some(({ classes }) => classes.cacheWrite5m !== undefined);
  const complete = (levels: SourcePrices) => completeLevels(levels, contextWindow, writes);
  const now = complete(current);
  if (now === null) return null;
  const later = (genaiPrices?.later ?? []).flatMap(({ from, prices }) => {
    const then = complete(prices);
    return then === null ? [] : [{ from, ...then }];
  });
  return [
    {
      from:
        genaiPrices?.since ?? sinceBefore(before, now) ?? (genaiPrices ? dates.genaiPrices : dates.modelsDev),
      ...now,
    },
    ...later,
  ];
}

/** Every class of every tier, written out; null when input or output has no price. */
function completeLevels(
  levels: SourcePrices,
  contextWindow: number,
  automaticCacheWrites: boolean,
): Omit<Priced, 'from'> | null {
  const filled: (ListPrices & { above: number })[] = [];
  for (const { above, classes } of levels) {
    const { input, output } = classes;
    if (input === undefined || output === undefined) return null;
    const list = fillCacheClasses({ ...classes, input, output });
    const last = filled.at(-1);
    // A prompt cannot be longer than the context, and a tier that changes nothing is omitted.
    if (above < contextWindow && !(last && samePrices(last, list))) filled.push({ above, ...list });
  }
  const [base, ...tiers] = filled;
  if (base === undefined) return null;
  const { above: _zero, ...prices } = base;
  return { ...prices, automaticCacheWrites, tiers };
}

const samePrices = ({ above: _above, ...one }: ListPrices & { above: number }, other: ListPrices): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function sinceBefore(before: CatalogEntry | undefined, now: Omit<Priced, 'from'>): string | undefined {
  const same = before?.prices.find(
    (prices) =>
      JSON.stringify(withoutDefaults({ ...now, from: prices.from })) ===
      JSON.stringify(withoutDefaults(prices)),
  );
  return same?.from;
}

/** The file contains only what differs from the defaults. */
function withoutDefaults({ from, automaticCacheWrites, tiers, ...prices }: Priced): Priced {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = prices;
  return {
    from,
    input,
    output,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
    ...(automaticCacheWrites && { automaticCacheWrites }),
    ...(tiers && tiers.length > 0 && { tiers }),
  };
}
