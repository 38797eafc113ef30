import { setTimeout as pause } from 'node:timers/promises';

/** Enough for a busy machine; an expected state is returned without waiting. */
const TIMEOUT_MS = 15_000;
const INTERVAL_MS = 10;

/** Reads until the value is as expected, and throws if that takes too long. */
export async function until<T>(read: () => Promise<T>, isExpected: (value: T) => boolean): Promise<T> {
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += INTERVAL_MS) {
    const value = await read();
    if (isExpected(value)) return value;
    await pause(INTERVAL_MS);
  }
  throw new Error(
    `Not as expected after ${TIMEOUT_MS} ms: ${JSON.stringify(await read(), (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
  );
}
