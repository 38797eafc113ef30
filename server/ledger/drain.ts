import { pendingWork } from './batch';
import { returnIdleHolds } from './kept-holds';

const POLL_EVERY_MS = 20;

/**
 * Returns kept holds and waits until every admission and settlement is committed, at most `timeoutMs`. Returns how many
 * are still pending.
 */
export async function drainLedger(timeoutMs: number): Promise<number> {
  void returnIdleHolds().catch(() => {});
  for (let waitedMs = 0; pendingWork() > 0 && waitedMs < timeoutMs; waitedMs += POLL_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  return pendingWork();
}
