import { setTimeout as pause } from 'node:timers/promises';
import { SECOND_MS } from '../../base/clock';
import { describeError, log } from '../../base/log';
import { ATTEMPT_TIMEOUT_MS, type AttemptResult, attempt } from './attempt';
import { type Claim, LEASE_MS } from './claim';
import { recordAttempt } from './record-attempt';

/** An attempt that cannot finish well within its lease is postponed to the next claim. */
const LATEST_START_MS = LEASE_MS - 2 * ATTEMPT_TIMEOUT_MS;
const RECORD_ATTEMPTS = 3;

/** Makes one attempt and records it. Null when it could not start in time. */
export async function deliver(claim: Claim): Promise<AttemptResult | null> {
  if (performance.now() - claim.claimedAtMs > LATEST_START_MS) return null;
  const result = await attempt(claim);
  await recordSurely(claim, result);
  return result;
}

/** A brief database outage must not cause a repeated delivery. */
async function recordSurely(claim: Claim, result: AttemptResult): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await recordAttempt(claim, result);
    } catch (error) {
      if (tries >= RECORD_ATTEMPTS) throw error;
      log().warn({ event_id: claim.eventId, error: describeError(error) }, 'could not record an attempt yet');
      await pause(SECOND_MS);
    }
  }
}
