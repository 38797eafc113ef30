import { pendingWork } from './batch';

const LOOK_EVERY_MS = 20;

/** Waits until every admission and settlement has landed, at most `timeoutMs`. Returns what is still pending. */
export async function drainLedger(timeoutMs: number): Promise<number> {
  for (let waitedMs = 0; pendingWork() > 0 && waitedMs < timeoutMs; waitedMs += LOOK_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return pendingWork();
}
