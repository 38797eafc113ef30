import type { Picocredits } from '../credits';
import type { TokenUsage } from '../protocols/neutral';

/** Price of one token per class, in picocredits. */
export type TokenPrices = {
  input: Picocredits;
  output: Picocredits;
  cacheRead: Picocredits;
  cacheWrite5m: Picocredits;
  cacheWrite1h: Picocredits;
};

export type PriceTier = TokenPrices & {
  /** The whole request costs this when its prompt has more tokens, cached and written ones included. */
  above: number;
};

export type ModelPrices = TokenPrices & {
  /** Ascending. */
  tiers: readonly PriceTier[];
  /** Whether the provider writes its cache, and bills that, without being asked to. */
  automaticCacheWrites: boolean;
};

/** How long a request asks the provider to keep its prompt in the cache. */
export type CacheLifetime = 'none' | '5m' | '1h';

export function promptTokens(usage: TokenUsage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

/** Exact provider cost: every token of every class at its own price, never rounded in between. */
export function costOf(usage: TokenUsage, prices: ModelPrices): Picocredits {
  const tier = pricesOf(usage, prices);
  return (BigInt(usage.input) * tier.input +
    BigInt(usage.cacheRead) * tier.cacheRead +
    BigInt(usage.cacheWrite5m) * tier.cacheWrite5m +
    BigInt(usage.cacheWrite1h) * tier.cacheWrite1h +
    BigInt(usage.output) * tier.output) as Picocredits;
}

/** What one token of each class costs in a request with so long a prompt. */
export function pricesOf(usage: TokenUsage, prices: TokenPrices & Pick<ModelPrices, 'tiers'>): TokenPrices {
  return reachableTiers(promptTokens(usage), prices).at(-1) ?? prices;
}

/** The worst that a prompt of at most `inputTokens` can cost: the dearest class of the dearest tier it may reach. */
export function worstInputCost(
  inputTokens: number,
  prices: ModelPrices,
  lifetime: CacheLifetime = 'none',
): Picocredits {
  const dearest = reachableTiers(inputTokens, prices).map((tier) =>
    dearestInput(tier, lifetime, prices.automaticCacheWrites),
  );
  return (BigInt(inputTokens) * highest(dearest)) as Picocredits;
}

/** The worst that one token of output can cost after a prompt of at most `inputTokens`. */
export function worstOutputPrice(inputTokens: number, prices: ModelPrices): Picocredits {
  return highest(reachableTiers(inputTokens, prices).map((tier) => tier.output)) as Picocredits;
}

/**
 * How many output tokens a hold pays for, beside the input. The exact cost that a hold covers is
 * rounded down, so that the charge never exceeds it.
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

/** The prices that a prompt of up to so many tokens may be billed at, the last one being its own. */
function reachableTiers(tokens: number, prices: TokenPrices & Pick<ModelPrices, 'tiers'>): TokenPrices[] {
  return [prices, ...prices.tiers.filter(({ above }) => tokens > above)];
}

function dearestInput(prices: TokenPrices, lifetime: CacheLifetime, automaticCacheWrites: boolean): bigint {
  const classes: bigint[] = [prices.input, prices.cacheRead];
  if (automaticCacheWrites || lifetime !== 'none') classes.push(prices.cacheWrite5m);
  if (lifetime === '1h') classes.push(prices.cacheWrite1h);
  return highest(classes);
}

const highest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
