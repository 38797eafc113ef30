import { describe, expect, test } from 'vitest';
import { createBatcher } from './batcher';

describe('a batcher', () => {
  test('sends what waits together and answers each item with its own result', async () => {
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

  test('lets one bad item fail alone', async () => {
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

  test('never runs two items of one key at the same time', async () => {
    const running = new Set<string>();
    const batcher = createBatcher<{ key: string; id: number }, number>({
      keyOf: (item) => item.key,
      lanes: 4,
      run: async (items) => {
        for (const item of items) {
          expect(running.has(item.key)).toBe(false);
          running.add(item.key);
        }
        await new Promise((resolve) => setImmediate(resolve));
        for (const item of items) running.delete(item.key);
        return items.map((item) => item.id);
      },
    });
    const items = Array.from({ length: 60 }, (_, id) => ({ key: `user ${id % 7}`, id }));
    expect(await Promise.all(items.map(batcher.submit))).toEqual(items.map((item) => item.id));
    expect(batcher.pending()).toBe(0);
  });
});
