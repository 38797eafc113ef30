import { pool } from '../../base/db';
import {
  findReceipt,
  type ReceiptAttempt,
  type ReceiptCorrection,
  readCorrections,
  type StoredReceipt,
} from '../../ledger';
import { isRequestId, priceLines, type ReceiptLine } from './user-receipt';

/**
 * One request of an app, as its partner sees it: never the prompt, and the user only by the id in this app. A request of
 * another app does not exist.
 */
export type AppRequestDetails =
  | (StoredReceipt & {
      kind: 'charged';
      appUserId: string;
      rateBp: number;
      lines: ReceiptLine[];
      corrections: ReceiptCorrection[];
    })
  /** No provider responded, so it was not charged. */
  | {
      kind: 'unanswered';
      requestId: string;
      appUserId: string;
      model: string;
      createdAt: Date;
      attempts: ReceiptAttempt[];
    }
  /** Refused with an error. Only the first of each code and hour is known by its id. */
  | { kind: 'refused'; requestId: string; code: string; hour: Date };

export async function findAppRequest(
  partnerId: string,
  requestId: string,
): Promise<AppRequestDetails | null> {
  if (!isRequestId(requestId)) return null;
  return (
    (await findCharged(partnerId, requestId)) ??
    (await findUnanswered(partnerId, requestId)) ??
    (await findRefused(partnerId, requestId))
  );
}

async function findCharged(partnerId: string, requestId: string): Promise<AppRequestDetails | null> {
  const { rows } = await pool().query<{ userId: string; appUserId: string; rateBp: number }>(
    `SELECT u.user_id AS "userId", a.app_user_id AS "appUserId", u.rate_bp AS "rateBp"
     FROM usage u JOIN user_app a ON a.user_id = u.user_id AND a.partner_id = u.partner_id
     WHERE u.transaction_id = 'txn_' || substr($2, 5) AND u.partner_id = $1`,
    [partnerId, requestId],
  );
  if (rows[0] === undefined) return null;
  const { userId, appUserId, rateBp } = rows[0];
  const receipt = await findReceipt({ userId, partnerId, requestId });
  if (receipt === null) return null;
  const [lines, corrections] = await Promise.all([priceLines(receipt), readCorrections(userId, requestId)]);
  return { kind: 'charged', ...receipt, appUserId, rateBp, lines, corrections };
}

async function findUnanswered(partnerId: string, requestId: string): Promise<AppRequestDetails | null> {
  const { rows } = await pool().query<Extract<AppRequestDetails, { kind: 'unanswered' }>>(
    `SELECT 'unanswered' AS kind, r.request_id AS "requestId", a.app_user_id AS "appUserId", r.model,
            r.at AS "createdAt", r.attempts
     FROM unanswered_request r JOIN user_app a ON a.user_id = r.user_id AND a.partner_id = r.partner_id
     WHERE r.request_id = $2 AND r.partner_id = $1`,
    [partnerId, requestId],
  );
  return rows[0] ?? null;
}

async function findRefused(partnerId: string, requestId: string): Promise<AppRequestDetails | null> {
  const { rows } = await pool().query<Extract<AppRequestDetails, { kind: 'refused' }>>(
    `SELECT 'refused' AS kind, first_request_id AS "requestId", code, hour
     FROM refusal_hour WHERE partner_id = $1 AND first_request_id = $2 LIMIT 1`,
    [partnerId, requestId],
  );
  return rows[0] ?? null;
}
