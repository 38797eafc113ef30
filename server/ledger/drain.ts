import { pendingSettlements } from './settle';

const LOOK_EVERY_MS = 20;

/** Waits until every settlement has landed, at most `timeoutMs`. Returns what is still pending. */
export async function drainLedger(timeoutMs: number): Promise<number> {
  for (let waitedMs = 0; pendingSettlements() > 0 && waitedMs < timeoutMs; waitedMs += LOOK_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return pendingSettlements();
}
