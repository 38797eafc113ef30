import { pool } from '../../base/db';

/** A user's refunds for overcharged requests. Every function takes the user's id. */

export type UserCorrection = {
  batchId: string;
  bookedAt: Date;
  reason: string;
  requests: number;
  credits: bigint;
};

/** By batch, newest first. */
export async function listUserCorrections(userId: string, limit: number): Promise<UserCorrection[]> {
  const { rows } = await pool().query<UserCorrection>(
    `${SUMS} GROUP BY c.batch_id, b.reason ORDER BY 2 DESC, 1 LIMIT $2`,
    [userId, limit],
  );
  return rows;
}

const SUMS = `SELECT c.batch_id AS "batchId", max(c.booked_at) AS "bookedAt", b.reason, count(*)::int AS requests,
    sum(c.credits)::bigint AS credits
  FROM correction c JOIN correction_batch b ON b.id = c.batch_id
  WHERE c.user_id = $1 AND c.booked_at IS NOT NULL`;

/** Null if nothing of the batch was booked for this user, even if it was for another. */
export async function findUserCorrection(userId: string, batchId: string): Promise<UserCorrection | null> {
  const { rows } = await pool().query<UserCorrection>(
    `${SUMS} AND c.batch_id = $2 GROUP BY c.batch_id, b.reason`,
    [userId, batchId],
  );
  return rows[0] ?? null;
}

export type CorrectedRequest = {
  requestId: string;
  at: Date;
  model: string;
  appName: string;
  charged: bigint;
  credits: bigint;
};

/** The requests that a batch corrected, newest first. */
export async function readCorrectedRequests(
  userId: string,
  batchId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<CorrectedRequest[]> {
  const { rows } = await pool().query<CorrectedRequest>(
    `SELECT 'req_' || substr(c.transaction_id, 5) AS "requestId", t.created_at AS at, t.model, p.name AS "appName",
            -t.credits AS charged, c.credits
     FROM correction c
     JOIN ledger_transaction t ON t.id = c.transaction_id AND t.user_id = c.user_id
     JOIN partner p ON p.id = c.partner_id
     WHERE c.user_id = $1 AND c.batch_id = $2 AND c.booked_at IS NOT NULL
     ORDER BY c.transaction_id DESC LIMIT $3 OFFSET $4`,
    [userId, batchId, limit, offset],
  );
  return rows;
}
