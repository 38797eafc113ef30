import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../base/clock';
import { endBackgroundReads } from '../gateway/run/background-reads';
import { runningGenerations } from '../gateway/run/run';
import { closeUpstreams } from '../gateway/run/upstream';
import { drainLedger } from '../ledger';

const DRAIN_TIMEOUT_MS = 10_000;
/** A read that is cut off submits its settlement at once; `drainLedger` waits for it. */
const CUT_OFF_TIMEOUT_MS = 1_000;

/**
 * Settles the requests whose clients disconnected. A background read that does not end in time is cut off, and
 * an estimate is charged.
 */
export async function finishGenerations(timeoutMs = DRAIN_TIMEOUT_MS): Promise<void> {
  await waitForGenerations(timeoutMs);
  endBackgroundReads();
  await waitForGenerations(CUT_OFF_TIMEOUT_MS);
  await drainLedger(DRAIN_TIMEOUT_MS);
  await closeUpstreams();
}

async function waitForGenerations(timeoutMs: number): Promise<void> {
  const deadline = now() + timeoutMs;
  while (runningGenerations() > 0 && now() < deadline) await sleep(20);
}
