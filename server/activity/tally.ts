import { HOUR_MS } from '../clock';

export const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS) * HOUR_MS;

/** The maximum number of keys. Keys are our own codes and ids, so a larger number would be a bug. */
const MAX_KEYS = 10_000;

export type Counted<Key> = Key & { count: number };

type Tally<Key> = {
  add(key: Key): void;
  /** Writes the counts since the last call. Counts that could not be written are kept for the next one. */
  flush(write: (counted: Counted<Key>[]) => Promise<void>): Promise<void>;
};

/** Counts by key in memory, so that counting costs a request nothing. */
export function createTally<Key extends Record<string, string | number>>(): Tally<Key> {
  let counts = new Map<string, Counted<Key>>();

  function put(key: Key, count: number): void {
    const name = JSON.stringify(key);
    const known = counts.get(name);
    if (known) known.count += count;
    else if (counts.size < MAX_KEYS) counts.set(name, { ...key, count });
  }

  return {
    add: (key) => put(key, 1),
    async flush(write) {
      if (counts.size === 0) return;
      const counted = [...counts.values()];
      counts = new Map();
      try {
        await write(counted);
      } catch (error) {
        for (const { count, ...key } of counted) put(key as unknown as Key, count);
        throw error;
      }
    },
  };
}
