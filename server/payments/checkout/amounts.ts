import { type Microcredits, wholeCredits } from '../../base/credits';
import { ApiError } from '../../base/errors';

/** The price of a purchase and the credits it buys, in exact integers. */

export const CURRENCIES = ['usd', 'eur'] as const;
export type Currency = (typeof CURRENCIES)[number];

export const PRESET_AMOUNTS = [5, 10, 25, 50, 100];

const MINOR_PER_MAJOR = 100;
const RATE_DECIMALS = 6;
const RATE_SCALE = 1_000_000n;

/** Converts an amount such as 5, 12.5 or 99.99 to cents. Rejects anything else and amounts out of bounds. */
export function toMinorUnits(amount: unknown, bounds: { minimum: number; maximum: number }): number {
  if (typeof amount !== 'number' || !Number.isFinite(amount)) throw badAmount('must be a number such as 25');
  if (amount < bounds.minimum || amount > bounds.maximum) {
    throw badAmount(`must be between ${bounds.minimum} and ${bounds.maximum}`);
  }
  const minor = Math.round(amount * MINOR_PER_MAJOR);
  // If the nearest number of cents does not convert back, the amount had more than two decimals.
  if (minor / MINOR_PER_MAJOR !== amount) throw badAmount('must have at most two decimals');
  return minor;
}

export function toMajorUnits(amountMinor: number): number {
  return amountMinor / MINOR_PER_MAJOR;
}

/** Returns floor(amount × rate × 100) whole credits, so never more than was paid for. */
export function creditsFor(amountMinor: number, rate: string): Microcredits {
  // amount × 100 is the amount in minor units.
  return wholeCredits((BigInt(amountMinor) * toRateMillionths(rate)) / RATE_SCALE);
}

function toRateMillionths(rate: string): bigint {
  const match = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(rate);
  if (!match) throw new Error(`Not an exchange rate: ${rate}`);
  const [, whole = '0', decimals = ''] = match;
  return BigInt(whole) * RATE_SCALE + BigInt(decimals.padEnd(RATE_DECIMALS, '0'));
}

function badAmount(message: string): ApiError {
  return new ApiError('invalid_request', `amount: ${message}`, { param: 'amount' });
}
