import { DAY_MS, now } from '../../base/clock';
import { deleteInSteps, pool } from '../../base/db';
import type { ReceiptAttempt } from '../../ledger';

/**
 * Requests that were sent to providers and got a response from none. They have no receipt, but providers may have read
 * them. Like counts they are kept in memory and written periodically, so no request waits for it. If the process is
 * killed, those of the last few seconds are lost.
 */
export type UnansweredRequest = {
  requestId: string;
  model: string;
  attempts: readonly ReceiptAttempt[];
  /** When the first attempt began. */
  at: Date;
};

type NewUnansweredRequest = UnansweredRequest & { userId: string; partnerId: string };

export const UNANSWERED_KEPT_DAYS = 30;
/** Of a user in 24 hours: a client that repeats a refused request must not fill the table. */
export const UNANSWERED_PER_DAY = 1_000;
const MAX_WAITING = 10_000;

let waiting: NewUnansweredRequest[] = [];

export function keepUnanswered(request: NewUnansweredRequest): void {
  if (waiting.length < MAX_WAITING) waiting.push(request);
}

export async function writeUnanswered(): Promise<void> {
  if (waiting.length === 0) return;
  const noted = waiting;
  waiting = [];
  try {
    await insert(noted);
  } catch (error) {
    waiting = [...noted, ...waiting].slice(0, MAX_WAITING);
    throw error;
  }
}

/** An account may have been deleted since. */
async function insert(noted: NewUnansweredRequest[]): Promise<void> {
  await pool().query(
    `WITH given AS (
       SELECT g.*, row_number() OVER (PARTITION BY "userId" ORDER BY at, "requestId") AS nth
       FROM json_to_recordset($1::json)
         AS g ("userId" text, "requestId" text, "partnerId" text, model text, attempts jsonb, at timestamptz)
     ), kept AS (
       SELECT u.id, (
         SELECT count(*) FROM (
           SELECT FROM unanswered_request o WHERE o.user_id = u.id AND o.at > $2 LIMIT $3) o) AS rows
       FROM "user" u WHERE u.id IN (SELECT "userId" FROM given) AND u.deleted_at IS NULL
     )
     INSERT INTO unanswered_request (user_id, request_id, partner_id, model, attempts, at)
     SELECT "userId", "requestId", "partnerId", model, attempts, at
     FROM given JOIN kept ON kept.id = "userId" WHERE kept.rows + nth <= $3
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(noted), new Date(now() - DAY_MS), UNANSWERED_PER_DAY],
  );
}

export type ListedUnanswered = UnansweredRequest & { appName: string };

/** The user's latest, newest first. */
export async function listUnanswered(userId: string, limit: number): Promise<ListedUnanswered[]> {
  const { rows } = await pool().query<ListedUnanswered>(
    `SELECT r.request_id AS "requestId", r.model, r.attempts, r.at, p.name AS "appName"
     FROM unanswered_request r JOIN partner p ON p.id = r.partner_id
     WHERE r.user_id = $1 ORDER BY r.at DESC, r.request_id LIMIT $2`,
    [userId, limit],
  );
  return rows;
}

export function forgetOldUnanswered(): Promise<void> {
  return deleteInSteps(
    `DELETE FROM unanswered_request WHERE request_id IN (
       SELECT request_id FROM unanswered_request WHERE at < $1 LIMIT $2)`,
    new Date(now() - UNANSWERED_KEPT_DAYS * DAY_MS),
  );
}
