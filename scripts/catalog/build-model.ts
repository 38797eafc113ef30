import type { z } from 'zod';
import type { ProviderName } from '../../server/base/endpoints';
import type { modelSchema } from '../../server/gateway/pricing/catalog-schema';
import { fillCacheClasses, type ListPrices } from '../../server/gateway/pricing/list-price';
import type { FoundPrices } from './genai-prices';
import type { ModelFacts } from './models-dev';
import type { Overrides } from './overrides';
import { isWanted } from './selection';
import { combine, type Opinion, type SourcePrices } from './source-prices';

/** Builds one model of the catalogue from its sources. */

export type CatalogEntry = z.input<typeof modelSchema>;
export type Built = { entry: CatalogEntry; differences: string[] } | { leftOut: string | null };

export type ModelSources = {
  provider: ProviderName;
  model: string;
  limits: ModelFacts | undefined;
  genaiPrices: FoundPrices | undefined;
  /** Of the sources that are current. */
  opinions: readonly Opinion[];
  override: Overrides['models'][number] | undefined;
  /** The model as the catalogue has it: values that did not change keep their date. */
  before: CatalogEntry | undefined;
  /** The dates of the sources. */
  dates: Readonly<Record<string, string>>;
};

/** A reason of null is not reported: the model was never a candidate. */
export function buildModel(sources: ModelSources): Built {
  const { provider, model, genaiPrices, opinions } = sources;
  const override = sources.override?.set;
  const { name, released, contextWindow, maxOutputTokens, capabilities } = { ...sources.limits, ...override };
  if (!name || !released || !capabilities) return { leftOut: 'no source of its limits' };
  if (!override?.capabilities && sources.limits?.writesText === false) return { leftOut: null };
  if (!isWanted(provider, model, { released, capabilities })) return { leftOut: null };
  if (sources.limits?.isRetired || genaiPrices?.isRetired) return { leftOut: 'retired by its vendor' };
  if (/(^|[-/])latest($|-)/.test(model)) return { leftOut: 'an alias that moves has no exact price' };
  if (!contextWindow || !maxOutputTokens) return { leftOut: 'no limits' };

  const merged = combine(opinions);
  const prices = override?.prices ?? datePrices(sources, merged.prices, contextWindow);
  if (prices === null) {
    return {
      leftOut: sources.before === undefined ? 'no complete price' : 'no current source has its price',
    };
  }
  return {
    entry: {
      id: `${provider}/${model}`,
      name,
      released,
      contextWindow,
      maxOutputTokens: Math.min(maxOutputTokens, contextWindow),
      capabilities: [...capabilities].sort(),
      pricedBy: override?.prices
        ? [`overrides.json ${sources.override?.date}`]
        : confirming(opinions, merged.prices).map(({ source }) => source),
      prices: prices.map(withoutDefaults),
    },
    // A decision resolves the difference, and a prompt beyond the context is impossible.
    differences: merged.differences
      .filter(({ above }) => !override?.prices && above < contextWindow)
      .map(({ name: priceClass, above, prices: given, used }) => {
        const label = above === 0 ? priceClass : `${priceClass} above ${above}`;
        const named = Object.entries(given).map(([source, price]) => `${source} ${price}`);
        return `${provider}/${model} ${label}: ${named.join(', ')}: ${used} is used`;
      }),
  };
}

/** The sources that give the input and output prices which are used; all of them if none gives both. */
function confirming(opinions: readonly Opinion[], [used]: SourcePrices): readonly Opinion[] {
  const agreeing = opinions.filter(({ prices: [base] }) =>
    (['input', 'output'] as const).every(
      (name) => Number(base?.classes[name] ?? Number.NaN) === Number(used?.classes[name]),
    ),
  );
  return agreeing.length > 0 ? agreeing : opinions;
}

type Priced = CatalogEntry['prices'][number];

function datePrices(
  { provider, genaiPrices, opinions, before, dates }: ModelSources,
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
  const known = confirming(opinions, current).map(({ source }) => dates[source] ?? '');
  const from = genaiPrices?.since ?? sinceBefore(before, now) ?? known.sort()[0] ?? '';
  return [{ from, ...now }, ...later];
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
function withoutDefaults({ from, automaticCacheWrites, tiers, offPeak, ...prices }: Priced): Priced {
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
    ...(offPeak && { offPeak }),
  };
}
