import { pendingWork } from './batch';

const LOOK_EVERY_MS = 20;

/** Waits until every admission and settlement is committed, at most `timeoutMs`. Returns how many are not. */
export async function drainLedger(timeoutMs: number): Promise<number> {
  for (let waitedMs = 0; pendingWork() > 0 && waitedMs < timeoutMs; waitedMs += LOOK_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return pendingWork();
}
