import { z } from 'zod';
import type { Picocredits } from '../../base/credits';
import type { UnitKind } from '../protocols/neutral';

/** List prices: exact decimal text in USD per million tokens, as vendors write them. */

const DECIMALS = 8;
export const LIST_PRICE = /^(\d{1,6})(?:\.(\d{1,8}))?$/;

export const priceText = z
  .string({ error: 'decimal text such as "1.25"' })
  .regex(LIST_PRICE, { error: 'a price in USD such as "1.25"' });

/** USD per million tokens → picocredits per token: one dollar is 10¹⁴ picocredits, so the factor is 10⁸. */
export function readListPrice(usdPerMillionTokens: string): Picocredits {
  const match = LIST_PRICE.exec(usdPerMillionTokens);
  if (!match) throw new Error(`Invalid price in USD per million tokens: ${usdPerMillionTokens}`);
  const [, whole = '0', decimals = ''] = match;
  return (BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(decimals.padEnd(DECIMALS, '0'))) as Picocredits;
}

/** USD per 1,000 calls → picocredits per call. */
export function readCallPrice(usdPerThousandCalls: string): Picocredits {
  return (readListPrice(usdPerThousandCalls) * 1_000n) as Picocredits;
}

/** A price of units: USD for so many, such as 0.006 for 60 seconds. */
export type ListUnitPrice = { kind: UnitKind; price: string; per: number };

/** USD for `per` units → picocredits per unit, rounded up. */
export function readUnitPrice({ price, per }: ListUnitPrice): Picocredits {
  const dollars = readListPrice(price) * 1_000_000n;
  return ((dollars + BigInt(per) - 1n) / BigInt(per)) as Picocredits;
}

/** Whether vendors price it like tokens; the others are priced one by one. */
export const isPricedByMillion = (kind: UnitKind): boolean => kind === 'character' || kind.endsWith('_token');

/** Picocredits per unit → USD per unit, with all digits. */
export const writeUnitPrice = (price: bigint): string => writeDecimal(price, DECIMALS + 6);

/** Picocredits per call → USD per 1,000 calls. */
export const writeCallPrice = (price: bigint): string => writeListPrice(price / 1_000n);

export const writeListPrice = (price: bigint): string => writeDecimal(price, DECIMALS);

function writeDecimal(units: bigint, places: number): string {
  const digits = units.toString().padStart(places + 1, '0');
  const decimals = digits.slice(-places).replace(/0{1,20}$/, '');
  return `${digits.slice(0, -places)}${decimals && `.${decimals}`}`;
}

/** USD per million tokens → USD per token. */
export const perTokenPrice = (usdPerMillionTokens: string): string =>
  writeDecimal(readListPrice(usdPerMillionTokens), DECIMALS + 6);

/** USD per 1,000 calls → USD per call. */
export const perCallPrice = (usdPerThousandCalls: string): string =>
  writeDecimal(readListPrice(usdPerThousandCalls), DECIMALS + 3);

/** `price × numerator / denominator`, rounded up. */
function scale(price: string, numerator: bigint, denominator: bigint): string {
  return writeListPrice((readListPrice(price) * numerator + denominator - 1n) / denominator);
}

export const halfPrice = (price: string): string => scale(price, 1n, 2n);

const BP = 10_000;

/** A list price with the commission on it. */
export const priceForUsers = (price: string, rateBp: number): string =>
  scale(price, BigInt(BP + rateBp), BigInt(BP));

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
