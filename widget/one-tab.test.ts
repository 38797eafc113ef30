import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inOneTab, sleep } from './one-tab';

/** A browser without locks: pages on plain http. */
function openBrowser(storage: Partial<Storage>): void {
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('localStorage', storage);
}

const kept = new Map<string, string>();
const storage: Partial<Storage> = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => void kept.set(name, value),
  removeItem: (name) => void kept.delete(name),
};

beforeEach(() => {
  kept.clear();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('without locks, one of many tabs works at a time, and all get their turn', async () => {
  openBrowser(storage);
  let working = 0;
  let most = 0;
  const job = async () => {
    most = Math.max(most, ++working);
    await sleep(1000);
    working--;
  };
  const tabs = [1, 2, 3].map(() => inOneTab('payment', job));
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(tabs);
  expect(most).toBe(1);
  expect(kept.size).toBe(0);
});

test('the place of a tab that died is free after a while', async () => {
  openBrowser(storage);
  kept.set('payment', `dead ${Date.now() + 90_000}`);
  const job = vi.fn(async () => {});
  const done = inOneTab('payment', job);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(job).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  await done;
  expect(job).toHaveBeenCalledOnce();
});

test('when storage throws, nothing can be shared: the tab works', async () => {
  const blocked = () => {
    throw new Error('blocked');
  };
  openBrowser({ getItem: blocked, setItem: blocked, removeItem: blocked });
  const job = vi.fn(async () => {});
  await inOneTab('payment', job);
  expect(job).toHaveBeenCalledOnce();
});
