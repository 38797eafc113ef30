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

export type Difference = { name: PriceClass; above: number; prices: [string, string]; used: string };

/** Exact decimal text; undefined for an absent or free class: a free class is a gap in the source. */
export function toDecimal(price: unknown): string | undefined {
  if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0) return undefined;
  return price.toFixed(8).replace(/\.?0+$/, '');
}

/** Boundaries one token apart are the same: one source gives it as "from", another as "above". */
const SAME_BOUNDARY_TOKENS = 1;

/** The higher price of every class at every prompt length, and where the two sources differ. */
export function takeHigher(
  one: SourcePrices,
  other: SourcePrices,
): { prices: SourcePrices; differences: Difference[] } {
  const differences: Difference[] = [];
  const prices = joinBoundaries(one, other).map((above) => {
    const [a, b] = [levelAt(one, above), levelAt(other, above)];
    const classes: SourceClasses = {};
    for (const name of PRICE_CLASSES) {
      const [left, right] = [a[name], b[name]];
      const used = left === undefined || (right !== undefined && Number(right) > Number(left)) ? right : left;
      if (used === undefined) continue;
      classes[name] = used;
      if (left !== undefined && right !== undefined && Number(left) !== Number(right)) {
        differences.push({ name, above, prices: [left, right], used });
      }
    }
    return { above, classes };
  });
  return { prices, differences };
}

function joinBoundaries(one: SourcePrices, other: SourcePrices): number[] {
  const all = [...one, ...other].map(({ above }) => above).sort((a, b) => a - b);
  return all.filter((above, i) => i === 0 || above - (all[i - 1] ?? 0) > SAME_BOUNDARY_TOKENS);
}

function levelAt(prices: SourcePrices, above: number): SourceClasses {
  return prices.findLast((level) => level.above <= above + SAME_BOUNDARY_TOKENS)?.classes ?? {};
}
