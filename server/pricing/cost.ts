import type { Picocredits } from '../credits';
import type { TokenUsage } from '../protocols/neutral';
import type { TokenPrices } from './catalog';

/** Exact provider cost: every token of every class at its own price, never rounded in between. */
export function costOf(usage: TokenUsage, prices: TokenPrices): Picocredits {
  return (BigInt(usage.input) * prices.input +
    BigInt(usage.cacheRead) * prices.cacheRead +
    BigInt(usage.cacheWrite) * prices.cacheWrite +
    BigInt(usage.output) * prices.output) as Picocredits;
}

/** The worst that `inputTokens` of input can cost: all at the dearest class that may apply. */
export function worstInputCost(inputTokens: number, prices: TokenPrices): Picocredits {
  const dearest = prices.cacheWrite > prices.input ? prices.cacheWrite : prices.input;
  return (BigInt(inputTokens) * dearest) as Picocredits;
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
