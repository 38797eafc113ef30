import { pool } from '../../base/db';
import type { AttemptResult } from './attempt';
import { type Claim, SCHEDULE_MS } from './claim';

export type Verdict = 'delivered' | 'retry' | 'refused';

/** The outcome of an attempt for its event. */
export function verdictOf({ status }: Pick<AttemptResult, 'status'>): Verdict {
  if (status === null) return 'retry';
  if (status >= 200 && status < 300) return 'delivered';
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isRefusal ? 'refused' : 'retry';
}

/**
 * Records the result of an attempt and when the next one is due, unless another process has taken
 * over the lease. A user key is erased as soon as it has arrived, or the endpoint was removed. The app keeps the
 * time since which no attempt has succeeded; one that fails by hand begins no outage.
 */
export async function recordAttempt(claim: Claim, result: AttemptResult): Promise<void> {
  const endedAt = new Date(result.beganAt.getTime() + result.durationMs);
  await pool().query(
    `WITH mine AS (
       UPDATE delivery SET
         lease_until = NULL, lease_token = NULL,
         status = CASE
           WHEN $3 = 'delivered' THEN 'delivered'
           WHEN status <> 'pending' OR $4 THEN status
           WHEN $3 = 'refused' OR attempts >= cardinality($5::int[]) THEN 'failed'
           ELSE status END,
         due_at = CASE WHEN $4 OR status <> 'pending' THEN due_at
           ELSE greatest($6::timestamptz, first_attempt_at + ($5::int[])[attempts + 1] * interval '1 ms') END
       WHERE event_id = $1 AND lease_token = $2
       RETURNING event_id, sends, status
     ), logged AS (
       INSERT INTO delivery_attempt (event_id, number, began_at, duration_ms, status, error, response, is_manual)
       SELECT event_id, sends, $7, $8, $9, $10, $11, $4 FROM mine
     ), health AS (
       UPDATE partner p SET webhook_failing_since = CASE WHEN $3 <> 'delivered' THEN $7::timestamptz END
       FROM mine WHERE p.id = $12
         AND CASE WHEN $3 = 'delivered' THEN p.webhook_failing_since IS NOT NULL
             ELSE NOT $4 AND p.webhook_failing_since IS NULL END
     )
     UPDATE event e SET body = NULL FROM mine
     WHERE e.id = mine.event_id AND e.shown_body IS NOT NULL AND mine.status NOT IN ('pending', 'failed')`,
    [
      claim.eventId,
      claim.leaseToken,
      verdictOf(result),
      claim.isManual,
      SCHEDULE_MS,
      endedAt,
      result.beganAt,
      result.durationMs,
      result.status,
      result.error,
      result.response,
      claim.partnerId,
    ],
  );
}
