import { HOUR_MS } from '../../base/clock';

export const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS) * HOUR_MS;

/** The maximum number of keys. Keys are our own codes and ids, so a larger number would be a bug. */
const MAX_KEYS = 10_000;

export type Counted<Key> = Key & { count: number; firstRequestId?: string };

type Tally<Key> = {
  /** Keeps the request id of the first. */
  add(key: Key, requestId?: string): void;
  /** Writes the counts since the last call. Counts that could not be written are kept for the next one. */
  flush(write: (counted: Counted<Key>[]) => Promise<void>): Promise<void>;
};

/** Counts by key in memory, so that counting costs a request nothing. */
export function createTally<Key extends Record<string, string | number>>(): Tally<Key> {
  let counts = new Map<string, Counted<Key>>();

  function put(key: Key, count: number, firstRequestId: string | undefined): void {
    const name = JSON.stringify(key);
    const known = counts.get(name);
    if (known) known.count += count;
    else if (counts.size < MAX_KEYS)
      counts.set(name, { ...key, count, ...(firstRequestId && { firstRequestId }) });
  }

  return {
    add: (key, requestId) => put(key, 1, requestId),
    async flush(write) {
      if (counts.size === 0) return;
      const counted = [...counts.values()];
      counts = new Map();
      try {
        await write(counted);
      } catch (error) {
        for (const { count, firstRequestId, ...key } of counted)
          put(key as unknown as Key, count, firstRequestId);
        throw error;
      }
    },
  };
}
