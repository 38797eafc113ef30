import type { Picocredits } from '../credits';

/** List prices: exact decimal text in USD per million tokens, as vendors write them. */

const DECIMALS = 8;
const PER_TOKEN_DECIMALS = DECIMALS + 6;
export const LIST_PRICE = /^(\d{1,6})(?:\.(\d{1,8}))?$/;

/** USD per million tokens → picocredits per token: one dollar is 10¹⁴ picocredits, so the factor is 10⁸. */
export function readListPrice(usdPerMillionTokens: string): Picocredits {
  const match = LIST_PRICE.exec(usdPerMillionTokens);
  if (!match) throw new Error(`Invalid price in USD per million tokens: ${usdPerMillionTokens}`);
  const [, whole = '0', decimals = ''] = match;
  return (BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(decimals.padEnd(DECIMALS, '0'))) as Picocredits;
}

export function writeListPrice(price: bigint): string {
  const digits = price.toString().padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${digits.slice(0, -DECIMALS)}${decimals && `.${decimals}`}`;
}

/** USD per million tokens → USD per token. */
export function perTokenPrice(usdPerMillionTokens: string): string {
  const digits = readListPrice(usdPerMillionTokens)
    .toString()
    .padStart(PER_TOKEN_DECIMALS + 1, '0');
  const decimals = digits.slice(-PER_TOKEN_DECIMALS).replace(/0+$/, '');
  return `${digits.slice(0, -PER_TOKEN_DECIMALS)}${decimals && `.${decimals}`}`;
}

/** `price × numerator / denominator`, rounded up. */
function scale(price: string, numerator: bigint, denominator: bigint): string {
  return writeListPrice((readListPrice(price) * numerator + denominator - 1n) / denominator);
}

export type ListPrices = {
  input: string;
  output: string;
  cacheRead: string;
  cacheWrite5m: string;
  cacheWrite1h: string;
};

export type GivenPrices = Pick<ListPrices, 'input' | 'output'> & {
  [Class in 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h']?: string | undefined;
};

/**
 * Fills in the cache classes. A class without a price gets the highest plausible one: reads cost the input
 * price, writes 1.25 and 2 times that.
 */
export function fillCacheClasses({ input, output, ...given }: GivenPrices): ListPrices {
  return {
    input,
    output,
    cacheRead: given.cacheRead ?? input,
    cacheWrite5m: given.cacheWrite5m ?? scale(input, 5n, 4n),
    cacheWrite1h: given.cacheWrite1h ?? scale(input, 2n, 1n),
  };
}
