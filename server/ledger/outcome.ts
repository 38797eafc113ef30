import { pool } from '../base/db';
import { transactionIdOf } from './settlement';

/** A request that was admitted, and the hold that it runs in. */
type Admitted = { userId: string; requestId: string; holdId: string };

type Outcome =
  /** `hasFailed`: there was no complete response. */
  | { state: 'charged'; agoMs: number; hasFailed: boolean }
  /** It may still be charged. */
  | { state: 'held' }
  /** It ended without a charge, and can no longer get one. */
  | { state: 'released' };

type Row = { ago_ms: number | null; has_failed: boolean | null; held: boolean };

/** The outcome of a request, wherever it runs. A settlement needs the hold, and removes it as it books the charge. */
export async function readOutcome({ userId, requestId, holdId }: Admitted): Promise<Outcome> {
  const { rows } = await pool().query<Row>({
    name: 'read_outcome',
    text: `SELECT u.ago_ms, u.has_failed,
             EXISTS (SELECT FROM hold h WHERE h.user_id = $1 AND h.request_id = $3) AS held
           FROM (VALUES (1)) one LEFT JOIN LATERAL (
             SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 * 1000 AS ago_ms,
               outcome IN ('failed', 'refused') AS has_failed
             FROM usage WHERE user_id = $1 AND transaction_id = $2) u ON true`,
    values: [userId, transactionIdOf(requestId), holdId],
  });
  const { ago_ms: agoMs = null, has_failed: hasFailed = null, held = false } = rows[0] ?? {};
  if (agoMs !== null) return { state: 'charged', agoMs, hasFailed: hasFailed === true };
  return { state: held ? 'held' : 'released' };
}
