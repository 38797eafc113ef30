import { toBase62 } from '@/server/base/ids';
import { randomFrom } from '../../harness/random';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_CHARACTERS = 22;
const TIME_CHARACTERS = 7;

/** Everything random in the year: the same seed generates the same year. */
export type Chance = {
  next(): number;
  happens(probability: number): boolean;
  between(low: number, high: number): number;
  /** Around a median, with a long tail. */
  skewed(median: number): number;
  pick<T>(weighted: readonly (readonly [T, number])[]): T;
  /** With a time, it begins with that, as `newId` writes it. */
  id(prefix: string, at?: number): string;
};

export function chanceFrom(seed: number): Chance {
  const next = randomFrom(seed);
  const pick = <T>(weighted: readonly (readonly [T, number])[]): T => {
    let left = next() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of weighted) {
      left -= weight;
      if (left < 0) return value;
    }
    return (weighted.at(-1) as readonly [T, number])[0];
  };
  return {
    next,
    happens: (probability) => next() < probability,
    between: (low, high) => Math.floor(low + next() * (high - low)),
    skewed: (median) => Math.max(1, Math.round(median * Math.exp((next() + next() + next() - 1.5) * 1.6))),
    pick,
    id: (prefix, at) => {
      let text = at === undefined ? '' : toBase62(at, TIME_CHARACTERS);
      while (text.length < ID_CHARACTERS) text += BASE62[Math.floor(next() * BASE62.length)];
      return `${prefix}_${text}`;
    },
  };
}
