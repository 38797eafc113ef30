import { type PythonObject, type PythonValue, readPythonVariable } from './python-data';
import { findFile } from './read-source';
import {
  PRICE_CLASSES,
  type PriceClass,
  type SourceClasses,
  type SourcePrices,
  takeHigher,
  toDecimal,
} from './source-prices';

/** Prices from genai-prices, for exact ids only: its wheel from PyPI, or its data.json. */

export type FoundPrices = {
  current: SourcePrices;
  /** The start date, where the source knows it. */
  since: string | undefined;
  later: { from: string; prices: SourcePrices }[];
  isRetired: boolean;
};

export type GenaiPrices = {
  find(provider: string, model: string, today: string): FoundPrices | undefined;
  models(provider: string): string[];
};

type Tiered = { base: number; tiers: { start: number; price: number }[] };
type Prices = { [name: string]: number | Tiered | undefined };
type Constraint = { start_date?: string; start_time?: string };
type Dated = { constraint?: Constraint | null; prices: Prices };
type Match = { equals?: string; or?: Match[] };
type Model = { id: string; match: Match; prices: Prices | Dated[]; deprecated?: boolean };
type Provider = { id: string; models: Model[] };

const KEYS: Record<PriceClass, string> = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite5m: 'cache_write_mtok',
  cacheWrite1h: 'cache_write_1h_mtok',
};

export function readGenaiPrices(bytes: Buffer): GenaiPrices {
  const text = findFile(bytes, /^$|genai_prices\/data\.py$/);
  if (text === null) throw new Error('the archive has no genai_prices/data.py');
  const providers = (
    text.trimStart().startsWith('[') ? JSON.parse(text) : toPlain(readPythonVariable(text, 'providers'))
  ) as Provider[];
  const modelsOf = new Map(providers.map(({ id, models }) => [id, models]));
  return {
    models: (provider) => (modelsOf.get(provider) ?? []).map(({ id }) => id),
    find(provider, model, today) {
      const models = modelsOf.get(provider) ?? [];
      const entry =
        models.find(({ id }) => id === model) ?? models.find(({ match }) => namesExactly(match, model));
      return entry && { ...byDate(entry, today), isRetired: entry.deprecated === true };
    },
  };
}

/** The Python classes as data.json writes them: numbers and dates without their calls. */
function toPlain(value: PythonValue): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  const { type, args, ...fields } = value as PythonObject & { args?: PythonValue[] };
  if (type === 'Decimal') return Number(args?.[0]);
  if (type === 'datetime.date') return (args ?? []).map((part) => String(part).padStart(2, '0')).join('-');
  if (type === 'datetime.time') return (args ?? []).map((part) => String(part).padStart(2, '0')).join(':');
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name.replace(/_$/, ''), toPlain(field)]),
  );
}

/** A prefix or a pattern could match a model with a different price. */
function namesExactly(match: Match, model: string): boolean {
  return match.equals === model || match.or?.some((part) => part.equals === model) === true;
}

/** Prices by hour of the day count at their highest: an upper bound at any hour. */
function byDate({ prices }: Model, today: string): Omit<FoundPrices, 'isRetired'> {
  if (!Array.isArray(prices)) return { current: toLevels(prices), since: undefined, later: [] };
  const isHourly = ({ constraint }: Dated) => constraint?.start_time !== undefined;
  const byHour = prices.filter(isHourly).map((some) => toLevels(some.prices));
  const dated = prices
    .filter((some) => !isHourly(some))
    .map(({ constraint, prices: some }) => ({ from: constraint?.start_date ?? '', prices: toLevels(some) }));
  const atHighest = (levels: SourcePrices) =>
    byHour.reduce((worst, hours) => takeHigher(worst, hours), levels);
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
