/** Prices as a source gives them: some classes, possibly by the length of the prompt. */

export type PriceClass = 'input' | 'output' | 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h';
export const PRICE_CLASSES: readonly PriceClass[] = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
];

export type SourceClasses = { [Class in PriceClass]?: string };
/** Applies to prompts of more tokens than `above`. */
export type SourceLevel = { above: number; classes: SourceClasses };
/** Ascending, starting at 0. */
export type SourcePrices = SourceLevel[];

/** What one source says of a model. */
export type Opinion = { source: string; prices: SourcePrices };

export type Difference = {
  name: PriceClass;
  above: number;
  /** By source; a source without tiers has no price for a long prompt. */
  prices: Record<string, string>;
  used: string;
};

/** Exact decimal text; undefined for an absent or free class: a free class is a gap in the source. */
export function toDecimal(price: unknown): string | undefined {
  if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0) return undefined;
  return price.toFixed(8).replace(/\.?0+$/, '');
}

/** Boundaries one token apart are the same: one source gives it as "from", another as "above". */
const SAME_BOUNDARY_TOKENS = 1;

/** The price that most sources give for every class at every prompt length; the highest if there is no majority. */
export function combine(opinions: readonly Opinion[]): { prices: SourcePrices; differences: Difference[] } {
  const differences: Difference[] = [];
  const prices = joinBoundaries(opinions.map((opinion) => opinion.prices)).map((above) => {
    const classes: SourceClasses = {};
    for (const name of PRICE_CLASSES) {
      const given = opinions.flatMap(({ source, prices: levels }) => {
        // A missing tier is a gap more often than a statement.
        const price = above > 0 && levels.length < 2 ? undefined : levelAt(levels, above)[name];
        return price === undefined ? [] : [{ source, price }];
      });
      const used = choose(given.map(({ price }) => price));
      if (used === undefined) continue;
      classes[name] = used;
      if (given.some(({ price }) => Number(price) !== Number(used))) {
        const bySource = Object.fromEntries(given.map(({ source, price }) => [source, price]));
        differences.push({ name, above, prices: bySource, used });
      }
    }
    return { above, classes };
  });
  return { prices, differences };
}

function choose(prices: readonly string[]): string | undefined {
  const votes = (price: string) => prices.filter((other) => Number(other) === Number(price)).length;
  return (
    prices.find((price) => votes(price) * 2 > prices.length) ??
    prices.reduce<string | undefined>(
      (most, price) => (most === undefined || Number(price) > Number(most) ? price : most),
      undefined,
    )
  );
}

/** The higher price of every class at every prompt length. */
export function takeHigher(one: SourcePrices, other: SourcePrices): SourcePrices {
  const both = [
    { source: 'one', prices: one },
    { source: 'other', prices: other },
  ];
  return combine(both).prices;
}

function joinBoundaries(all: readonly SourcePrices[]): number[] {
  const sorted = all
    .flat()
    .map(({ above }) => above)
    .sort((a, b) => a - b);
  return sorted.filter((above, i) => i === 0 || above - (sorted[i - 1] ?? 0) > SAME_BOUNDARY_TOKENS);
}

function levelAt(prices: SourcePrices, above: number): SourceClasses {
  return prices.findLast((level) => level.above <= above + SAME_BOUNDARY_TOKENS)?.classes ?? {};
}
