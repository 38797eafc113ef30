import { expect, test } from 'vitest';
import { ApiError } from './errors';
import { inTurn } from './in-turn';

test('two run at once, 20 wait in order, others are refused, and a failure frees its place', async () => {
  const run = inTurn(2, 20);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const start = (n: number) =>
    run(async () => {
      begun.push(n);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (n % 2 === 0) throw new Error('failed');
    });
  const works = Promise.allSettled(Array.from({ length: 30 }, (_, n) => start(n)));
  for (let n = 0; n < 22; n++) {
    expect(begun.length).toBeLessThanOrEqual(n + 2);
    while (ends[n] === undefined) await Promise.resolve();
    ends[n]?.();
  }
  const refused = (await works).map((end) => end.status === 'rejected' && end.reason instanceof ApiError);
  expect(begun).toEqual(Array.from({ length: 22 }, (_, n) => n));
  expect(refused.lastIndexOf(false)).toBe(21);
  expect(refused.filter(Boolean)).toHaveLength(8);
});
