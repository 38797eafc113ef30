import { HOUR_MS, now } from '../../base/clock';
import { pool } from '../../base/db';
import { ApiError } from '../../base/errors';
import { createTally, hourOf } from './tally';

/**
 * Counts generation requests that failed with an error response, because they have no receipt. Counts are
 * kept in memory and written periodically, so no request waits for it. If the process is killed, the last few
 * seconds are lost.
 */

/** For requests without a key that identifies a partner. */
export const NO_PARTNER = '';

const tally = createTally<{ hour: number; partnerId: string; code: string }>();

/** `partnerId` is null while the key has not been looked up. */
export function countRefusal(failure: unknown, partnerId: string | null, requestId: string): void {
  const code = failure instanceof ApiError ? failure.code : 'internal_error';
  tally.add({ hour: hourOf(now()), partnerId: partnerId ?? NO_PARTNER, code }, requestId);
}

export function writeRefusalCounts(): Promise<void> {
  return tally.flush(async (counted) => {
    await pool().query(
      `INSERT INTO refusal_hour AS r (hour, partner_id, code, count, first_request_id)
       SELECT to_timestamp(hour / 1000), "partnerId", code, count, "firstRequestId"
       FROM json_to_recordset($1::json)
         AS c (hour float8, "partnerId" text, code text, count bigint, "firstRequestId" text)
       ON CONFLICT (hour, partner_id, code) DO UPDATE SET count = r.count + excluded.count`,
      [JSON.stringify(counted)],
    );
  });
}

export async function forgetOldRefusals(keepMs: number): Promise<void> {
  await pool().query('DELETE FROM refusal_hour WHERE hour < $1', [new Date(now() - keepMs - HOUR_MS)]);
}
