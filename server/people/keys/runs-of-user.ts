import type { Microcredits } from '../../base/credits';
import { pool } from '../../base/db';

/** A run of an app, as the account shows it. */
export type RunOfUser = {
  /** The id that the app chose. */
  id: string;
  /** The run key that it belongs to; null for one of ordinary keys. */
  keyId: string | null;
  keyLast4: string | null;
  keyLabel: string | null;
  spent: Microcredits;
  /** Its ceiling; null for none. */
  credits: Microcredits | null;
  /** Requests that were charged or are running. */
  used: number;
  lastAt: Date;
};

/** The runs with the latest requests. */
export async function listRuns(
  { userId, partnerId }: { userId: string; partnerId: string },
  limit: number,
): Promise<RunOfUser[]> {
  const { rows } = await pool().query<RunOfUser>({
    name: 'list_runs',
    text: `SELECT substring(b.id FROM '^run:[^:]+:(.*)$') AS id, k.id AS "keyId", k.last4 AS "keyLast4", k.label AS "keyLabel",
             b.spent, b.credits, b.used, b.last_used_at AS "lastAt"
           FROM budget b LEFT JOIN user_key k ON k.id = split_part(b.id, ':', 2)
           WHERE b.user_id = $1 AND b.partner_id = $2 AND b.id LIKE 'run:%'
           ORDER BY b.last_used_at DESC, b.id LIMIT $3`,
    values: [userId, partnerId, limit],
  });
  return rows;
}
