import { setTimeout as pause } from 'node:timers/promises';

/** What is right at once is seen at once; a busy machine may take its time. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 10;

/** Looks until what it sees is right; fails when it does not become so. */
export async function until<T>(look: () => Promise<T>, isRight: (seen: T) => boolean): Promise<T> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    const seen = await look();
    if (isRight(seen)) return seen;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(
    `Not right after ${PATIENCE_MS} ms: ${JSON.stringify(await look(), (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  );
}
