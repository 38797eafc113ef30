import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createBatcher } from './batcher';

describe('a batcher', () => {
  test('sends waiting items together and returns each one its own result', async () => {
    const batches: number[][] = [];
    const batcher = createBatcher<number, number>({
      keyOf: String,
      lanes: 1,
      run: async (items) => {
        batches.push(items);
        return items.map((item) => item * 2);
      },
    });
    expect(await Promise.all([1, 2, 3].map(batcher.submit))).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  test('fails one bad item alone', async () => {
    const batcher = createBatcher<number, number>({
      keyOf: String,
      run: async (items) => {
        if (items.includes(7)) throw new Error('bad row');
        return items;
      },
    });
    const outcomes = await Promise.allSettled([5, 6, 7, 8, 9].map(batcher.submit));
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  test('fails as a whole, and immediately, when no single item is at fault', async () => {
    const batches: number[][] = [];
    const batcher = createBatcher<number, number>({
      keyOf: String,
      mayBeOfOneItem: (error) => String(error) !== 'Error: nobody there',
      run: (items) => {
        batches.push(items);
        return Promise.reject(new Error('nobody there'));
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map(batcher.submit));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toEqual([[1, 2, 3]]);
    expect(batcher.pending()).toBe(0);
  });

  test('puts items of one key in one batch, in order, if each may follow those before it', async () => {
    const batches: string[][] = [];
    const batcher = createBatcher<string, string>({
      keyOf: ([key = '']) => key,
      mayFollow: (item) => item.endsWith('+'),
      lanes: 1,
      run: async (items) => {
        batches.push(items);
        return items;
      },
    });
    const items = ['a1', 'a2+', 'b1', 'a3+', 'a4', 'a5+', 'b2+'];
    expect(await Promise.all(items.map(batcher.submit))).toEqual(items);
    expect(batches).toEqual([
      ['a1', 'a2+', 'b1', 'a3+', 'b2+'],
      ['a4', 'a5+'],
    ]);
  });

  test('never runs two items of one key at the same time, in any lane', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const running = new Set<string>();
    let maximum = 0;
    const batcher = createBatcher<{ key: string; id: number }, number>({
      keyOf: (item) => item.key,
      lanes: 4,
      slowAfterMs: 50,
      maxBatch: 2,
      run: async (items) => {
        for (const item of items) {
          expect(running.has(item.key)).toBe(false);
          running.add(item.key);
        }
        // Slow now: the next lane opens.
        vi.advanceTimersByTime(50);
        maximum = Math.max(maximum, running.size);
        await new Promise((resolve) => setImmediate(resolve));
        for (const item of items) running.delete(item.key);
        return items.map((item) => item.id);
      },
    });
    const items = Array.from({ length: 60 }, (_, id) => ({ key: `user ${id % 7}`, id }));
    expect(await Promise.all(items.map(batcher.submit))).toEqual(items.map((item) => item.id));
    expect(maximum).toBe(7);
    expect(batcher.pending()).toBe(0);
  });

  test('runs one batch after the other, and opens another lane when one is slow', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const begun: number[][] = [];
    const ends: (() => void)[] = [];
    const batcher = createBatcher<number, number>({
      keyOf: String,
      lanes: 2,
      slowAfterMs: 50,
      run: (items) => {
        begun.push(items);
        return new Promise((resolve) => ends.push(() => resolve(items)));
      },
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));

    const first = batcher.submit(1);
    await turn();
    const second = batcher.submit(2);
    await turn();
    vi.advanceTimersByTime(49);
    expect(begun).toEqual([[1]]);
    vi.advanceTimersByTime(1);
    expect(begun).toEqual([[1], [2]]);

    const third = batcher.submit(3);
    await turn();
    vi.advanceTimersByTime(50);
    expect(begun).toEqual([[1], [2]]);
    ends[1]?.();
    expect(await second).toBe(2);
    expect(begun).toEqual([[1], [2], [3]]);
    ends[2]?.();
    ends[0]?.();
    expect(await Promise.all([first, third])).toEqual([1, 3]);

    // Fast again: one lane.
    const rest = [batcher.submit(4)];
    await turn();
    rest.push(batcher.submit(5));
    await turn();
    expect(begun.slice(3)).toEqual([[4]]);
    ends[3]?.();
    await rest[0];
    ends[4]?.();
    expect(await Promise.all(rest)).toEqual([4, 5]);
    expect(batcher.pending()).toBe(0);
  });
});
