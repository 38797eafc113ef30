import type { Picocredits } from '../../base/credits';
import type { TokenUsage, UnitKind, Units } from '../protocols/neutral';

/** The price of one token of each class, in picocredits. */
export type TokenPrices = {
  input: Picocredits;
  output: Picocredits;
  cacheRead: Picocredits;
  cacheWrite5m: Picocredits;
  cacheWrite1h: Picocredits;
};

export type PriceTier = TokenPrices & {
  /** Applies to the whole request when its prompt has more tokens than this, including cached and written ones. */
  above: number;
};

export type ModelPrices = TokenPrices & {
  /** Ascending. */
  tiers: readonly PriceTier[];
  /** Whether the provider writes to its cache, and bills for it, without being requested to. */
  automaticCacheWrites: boolean;
  /** The price of one web search that the provider runs; absent if it runs none. */
  webSearch?: Picocredits | undefined;
  /** What is counted in the input besides text tokens, and its price; absent if nothing is. */
  inputUnit?: UnitPrice | undefined;
  outputUnit?: UnitPrice | undefined;
};

export type UnitPrice = { kind: UnitKind; price: Picocredits };

/** How long the provider should keep a request's prompt in its cache. */
export type CacheLifetime = 'none' | '5m' | '1h';

export function promptTokens(usage: TokenUsage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

/** The exact provider cost: every token and search at its price, without intermediate rounding. */
export function costOf(usage: TokenUsage, prices: ModelPrices): Picocredits {
  const tier = pricesOf(usage, prices);
  return (BigInt(usage.input) * tier.input +
    BigInt(usage.cacheRead) * tier.cacheRead +
    BigInt(usage.cacheWrite5m) * tier.cacheWrite5m +
    BigInt(usage.cacheWrite1h) * tier.cacheWrite1h +
    BigInt(usage.output) * tier.output +
    searchCost(usage.searches ?? 0, prices) +
    unitCost({ input: usage.inputUnits ?? 0, output: usage.outputUnits ?? 0 }, prices)) as Picocredits;
}

/** The exact cost of web searches, without the tokens of their results. */
export const searchCost = (
  searches: number,
  { webSearch = 0n as Picocredits }: Pick<ModelPrices, 'webSearch'>,
) => (BigInt(searches) * webSearch) as Picocredits;

/** The exact cost of what is not counted in text tokens. */
export const unitCost = (
  { input, output }: Units,
  { inputUnit, outputUnit }: Pick<ModelPrices, 'inputUnit' | 'outputUnit'>,
) => (BigInt(input) * (inputUnit?.price ?? 0n) + BigInt(output) * (outputUnit?.price ?? 0n)) as Picocredits;

/** The price of one token of each class, given the length of the prompt. */
export function pricesOf(usage: TokenUsage, prices: TokenPrices & Pick<ModelPrices, 'tiers'>): TokenPrices {
  return reachableTiers(promptTokens(usage), prices).at(-1) ?? prices;
}

/**
 * The maximum cost of a prompt of up to `inputTokens`: the most expensive token class of the most expensive
 * tier that it may reach. What is billed in total may reach a higher one.
 */
export function worstInputCost(
  inputTokens: number,
  prices: ModelPrices,
  lifetime: CacheLifetime = 'none',
  reached = inputTokens,
): Picocredits {
  const inputPrices = reachableTiers(reached, prices).map((tier) =>
    highestInputPrice(tier, lifetime, prices.automaticCacheWrites),
  );
  return (BigInt(inputTokens) * highest(inputPrices)) as Picocredits;
}

/** The maximum cost of tokens that the provider reads from its cache, in a prompt of up to `reached` tokens. */
export const cacheReadCost = (tokens: number, prices: ModelPrices, reached: number): Picocredits =>
  (BigInt(tokens) * highest(reachableTiers(reached, prices).map((tier) => tier.cacheRead))) as Picocredits;

/** The maximum price of an output token after a prompt of up to `inputTokens`. */
export function worstOutputPrice(inputTokens: number, prices: ModelPrices): Picocredits {
  return highest(reachableTiers(inputTokens, prices).map((tier) => tier.output)) as Picocredits;
}

/**
 * The number of output tokens that a hold covers in addition to the input. The exact cost that a hold covers
 * is rounded down, so that the charge never exceeds it.
 */
export function affordableOutputTokens(
  { amount, rateBp }: { amount: bigint; rateBp: number },
  inputCost: Picocredits,
  outputPrice: Picocredits,
): number {
  if (outputPrice === 0n) return Number.MAX_SAFE_INTEGER;
  const covered = (amount * 1_000_000n * 10_000n) / (10_000n + BigInt(rateBp));
  const left = covered - inputCost;
  return left <= 0n ? 0 : Number(left / outputPrice);
}

/** The prices that may apply to a prompt of up to `tokens`; its own tier comes last. */
function reachableTiers(tokens: number, prices: TokenPrices & Pick<ModelPrices, 'tiers'>): TokenPrices[] {
  return [prices, ...prices.tiers.filter(({ above }) => tokens > above)];
}

function highestInputPrice(
  prices: TokenPrices,
  lifetime: CacheLifetime,
  automaticCacheWrites: boolean,
): bigint {
  const classes: bigint[] = [prices.input, prices.cacheRead];
  if (automaticCacheWrites || lifetime !== 'none') classes.push(prices.cacheWrite5m);
  if (lifetime === '1h') classes.push(prices.cacheWrite1h);
  return highest(classes);
}

const highest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
