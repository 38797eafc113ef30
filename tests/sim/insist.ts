import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const RETRY_MS = 100;

/** Repeats work that a restart of the database may interrupt; every repetition is harmless. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      return await work();
    } catch (error) {
      if (waitedMs >= PATIENCE_MS) throw error;
      await pause(RETRY_MS);
    }
  }
}
