import { setTimeout as pause } from 'node:timers/promises';
import { SECOND_MS } from '../clock';
import { describeError, log } from '../log';
import { ATTEMPT_TIMEOUT_MS, type AttemptResult, attempt } from './attempt';
import { type Claim, LEASE_MS } from './claim';
import { recordAttempt } from './record-attempt';

/** An attempt that cannot end well within its lease is left to whoever finds it next. */
const LATEST_START_MS = LEASE_MS - 2 * ATTEMPT_TIMEOUT_MS;
const RECORD_TRIES = 3;

/** One attempt from the claim to the record. Null when it did not start in time. */
export async function deliver(claim: Claim): Promise<AttemptResult | null> {
  if (performance.now() - claim.claimedAtMs > LATEST_START_MS) return null;
  const result = await attempt(claim);
  await recordSurely(claim, result);
  return result;
}

/** A database that is away for a moment must not cost the receiver a repeated delivery. */
async function recordSurely(claim: Claim, result: AttemptResult): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await recordAttempt(claim, result);
    } catch (error) {
      if (tries >= RECORD_TRIES) throw error;
      log().warn({ eventId: claim.eventId, error: describeError(error) }, 'an attempt is not recorded yet');
      await pause(SECOND_MS);
    }
  }
}
