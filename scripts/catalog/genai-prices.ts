import { createRequire } from 'node:module';
import { findProvider } from '@pydantic/genai-prices';
import {
  PRICE_CLASSES,
  type PriceClass,
  type SourceClasses,
  type SourcePrices,
  takeHigher,
  toDecimal,
} from './source-prices';

/** Prices from the package @pydantic/genai-prices, for exact ids only. */

export type FoundPrices = {
  current: SourcePrices;
  /** The start date, where the source knows it. */
  since: string | undefined;
  later: { from: string; prices: SourcePrices }[];
  isRetired: boolean;
};

type Model = NonNullable<ReturnType<typeof findProvider>>['models'][number];
type Match = Model['match'];
type Prices = Exclude<Model['prices'], unknown[]>;

const KEYS: Record<PriceClass, string> = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite5m: 'cache_write_mtok',
  cacheWrite1h: 'cache_write_1h_mtok',
};

export function genaiPricesVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@pydantic/genai-prices');
  const { version } = createRequire(entry)('../package.json') as { version: string };
  return version;
}

export function findGenaiPrices(provider: string, model: string, today: string): FoundPrices | undefined {
  const entries = findProvider({ providerId: provider })?.models ?? [];
  const entry =
    entries.find(({ id }) => id === model) ?? entries.find(({ match }) => namesExactly(match, model));
  return entry && { ...byDate(entry, today), isRetired: entry.deprecated === true };
}

export function genaiModels(provider: string): string[] {
  return (findProvider({ providerId: provider })?.models ?? []).map(({ id }) => id);
}

/** A prefix or a pattern could match a model with a different price. */
function namesExactly(match: Match, model: string): boolean {
  if ('equals' in match) return match.equals === model;
  return 'or' in match && match.or.some((part) => 'equals' in part && part.equals === model);
}

/** Prices by hour of the day count at their highest: an upper bound at any hour. */
function byDate({ prices }: Model, today: string): Omit<FoundPrices, 'isRetired'> {
  if (!Array.isArray(prices)) return { current: toLevels(prices), since: undefined, later: [] };
  const dated = prices.flatMap(({ constraint, prices: some }) => {
    if (constraint?.type === 'time_of_date') return [];
    return { from: constraint?.start_date ?? '', prices: toLevels(some) };
  });
  const byHour = prices.flatMap(({ constraint, prices: some }) =>
    constraint?.type === 'time_of_date' ? [toLevels(some)] : [],
  );
  const atHighest = (levels: SourcePrices) =>
    byHour.reduce((worst, hours) => takeHigher(worst, hours).prices, levels);
  const inForce = dated.findLast(({ from }) => from <= today);
  return {
    current: atHighest(inForce?.prices ?? []),
    since: inForce?.from || undefined,
    later: dated
      .filter(({ from }) => from > today)
      .map(({ from, prices: some }) => ({ from, prices: atHighest(some) })),
  };
}

function toLevels(prices: Prices): SourcePrices {
  const boundaries = new Set([0]);
  for (const name of PRICE_CLASSES) {
    const price = prices[KEYS[name]];
    if (typeof price === 'object') for (const { start } of price.tiers) boundaries.add(start);
  }
  return [...boundaries].sort((a, b) => a - b).map((above) => ({ above, classes: classesAt(prices, above) }));
}

function classesAt(prices: Prices, above: number): SourceClasses {
  const classes: SourceClasses = {};
  for (const name of PRICE_CLASSES) {
    const price = prices[KEYS[name]];
    const amount =
      typeof price === 'object'
        ? (price.tiers.findLast(({ start }) => start <= above)?.price ?? price.base)
        : price;
    const decimal = toDecimal(amount);
    if (decimal !== undefined) classes[name] = decimal;
  }
  return classes;
}
