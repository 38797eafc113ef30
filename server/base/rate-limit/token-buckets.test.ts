import { afterEach, expect, it } from 'vitest';
import { MINUTE_MS, setClock } from '../clock';
import { TokenBuckets } from './token-buckets';

const START = 1_800_000_000_000;
afterEach(() => setClock());

function bucketsAt(rate: { perMinute: number; burst: number }) {
  let time = START;
  setClock(() => time);
  return { buckets: new TokenBuckets(rate), wait: (ms: number) => (time += ms) };
}

/** Returns how many of `count` attempts are allowed. */
const countTaken = (buckets: TokenBuckets, count: number, name = 'key') =>
  Array.from({ length: count }, () => buckets.take(name)).filter((waitMs) => waitMs === 0).length;

it('allows a burst at once, then a steady rate per minute', () => {
  const { buckets, wait } = bucketsAt({ perMinute: 600, burst: 60 });
  expect(countTaken(buckets, 100)).toBe(60);
  expect(buckets.take('key')).toBe(100);
  let taken = 0;
  for (let i = 0; i < 600; i++) {
    wait(100);
    taken += countTaken(buckets, 2);
  }
  expect(taken).toBe(600);
});

it.each([1, 3, 7, 60, 600, 999])('allows exactly %d in a burst of the same size', (burst) => {
  const { buckets, wait } = bucketsAt({ perMinute: burst, burst });
  expect(countTaken(buckets, burst + 5)).toBe(burst);
  wait(MINUTE_MS);
  expect(countTaken(buckets, burst + 5)).toBe(burst);
});

it('keeps a bucket for each name, and forgets full buckets instead of growing', () => {
  const { buckets, wait } = bucketsAt({ perMinute: 600, burst: 1 });
  for (let i = 0; i < 60_000; i++) {
    if (i % 100 === 0) wait(10);
    expect(buckets.take(`key ${i}`)).toBe(0);
  }
  expect(buckets.size).toBeLessThan(25_000);
});

it('a clock that is set back locks nobody out', () => {
  const { buckets, wait } = bucketsAt({ perMinute: 600, burst: 60 });
  expect(countTaken(buckets, 60)).toBe(60);
  wait(-60 * MINUTE_MS);
  expect(countTaken(buckets, 60)).toBe(60);
});

it('a bucket that other instances used up is empty for as long as they report', () => {
  const { buckets, wait } = bucketsAt({ perMinute: 600, burst: 60 });
  buckets.block('key', 2_000);
  expect(buckets.take('key')).toBe(2_000);
  wait(2_000);
  expect(countTaken(buckets, 5)).toBe(1);
});

it('what several allow together beyond the limit is a debt, so that the rate of all of them stays the limit', () => {
  const { buckets: all, wait } = bucketsAt({ perMinute: 600, burst: 60 });
  const each = [1, 2, 3].map(() => new TokenBuckets({ perMinute: 600, burst: 60 }));
  let taken = 0;
  for (let i = 0; i < 6_000; i++) {
    for (const buckets of each) {
      if (buckets.take('key') > 0) continue;
      taken++;
      const waitMs = all.charge('key', 1);
      if (waitMs > 0) buckets.block('key', waitMs);
    }
    wait(10);
  }
  // A burst and a minute, and at most one of each that the others had not reported.
  expect(taken).toBeGreaterThanOrEqual(650);
  expect(taken).toBeLessThanOrEqual(663);
});

it('a debt ends within a minute, however large it was @attack', () => {
  const { buckets, wait } = bucketsAt({ perMinute: 600, burst: 60 });
  expect(buckets.charge('key', 1_000_000)).toBeLessThanOrEqual(MINUTE_MS);
  wait(MINUTE_MS);
  expect(buckets.take('key')).toBe(0);
});
