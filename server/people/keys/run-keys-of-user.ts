import type { Microcredits } from '../../base/credits';
import { pool } from '../../base/db';
import { minimumBalance, raiseBudget } from '../../ledger';

/** The live run keys of a user in an app, as the account shows them. */

export type RunKeyOfUser = {
  keyId: string;
  last4: string;
  label: string | null;
  /** 1 if it was minted with an ordinary key, at most 3. */
  depth: number;
  /** Of the ordinary key that it descends from. */
  ordinaryLast4: string;
  expiresAt: Date;
  credits: Microcredits;
  spent: Microcredits;
  /** No more than any key above it has left. */
  left: Microcredits;
  /** Requests that were charged or are running, and the most of them; null for no limit. */
  used: number;
  requests: number | null;
  /** Its own budget, or one above it, leaves no further request once running ones have ended. */
  isUsedUp: boolean;
};

type Owner = { userId: string; partnerId: string };
type Row = RunKeyOfUser & { total: bigint };

/**
 * Each below the key that minted it, by ordinary key, the newest branch first. `first` is a run key of the first level whose
 * branch comes before all others.
 */
export async function listRunKeys(
  { userId, partnerId }: Owner,
  { first, limit, offset }: { first: string | null; limit: number; offset: number },
): Promise<{ keys: RunKeyOfUser[]; total: number }> {
  const { rows } = await pool().query<Row>({
    name: 'list_run_keys',
    text: `SELECT k.id AS "keyId", k.last4, k.label, cardinality(k.lineage) - 1 AS depth, o.last4 AS "ordinaryLast4",
             k.expires_at AS "expiresAt", b.credits, b.spent, a.left, b.used, b.requests,
             a.unspent < $6 OR a.is_full AS "isUsedUp", count(*) OVER () AS total
           FROM user_key k
           JOIN user_key o ON o.id = k.lineage[1]
           JOIN user_key f ON f.id = k.lineage[2]
           JOIN budget b ON b.user_id = k.user_id AND b.id = k.id
           CROSS JOIN LATERAL (
             SELECT min(a.credits - a.spent - a.held) AS left, min(a.credits - a.spent) AS unspent,
               coalesce(bool_or(a.used >= a.requests), false) AS is_full
             FROM budget a WHERE a.user_id = k.user_id AND a.id = ANY (k.lineage)) a
           WHERE k.user_id = $1 AND k.partner_id = $2 AND k.lineage <> '{}' AND ledger_key_lives(k.revoked_at, k.expires_at)
           ORDER BY coalesce(f.id = $3, false) DESC, k.lineage[1], f.created_at DESC, k.lineage LIMIT $4 OFFSET $5`,
    values: [userId, partnerId, first, limit, offset, minimumBalance()],
  });
  return { keys: rows.map(({ total: _, ...key }) => key), total: Number(rows[0]?.total ?? 0n) };
}

export type RaiseRefusal =
  | { reason: 'not_live' }
  /** Less than what is spent and held. */
  | { reason: 'too_low'; spent: Microcredits; held: Microcredits };

/** Sets the budget of a run key. Null when it is saved. */
export async function raiseRunKey(
  userId: string,
  keyId: string,
  credits: Microcredits,
): Promise<RaiseRefusal | null> {
  if (await raiseBudget(userId, keyId, credits)) return null;
  const { rows } = await pool().query<{ spent: Microcredits; held: Microcredits }>(
    `SELECT b.spent, b.held
     FROM user_key k JOIN budget b ON b.user_id = k.user_id AND b.id = k.id
     WHERE k.id = $2 AND k.user_id = $1 AND ledger_key_lives(k.revoked_at, k.expires_at)`,
    [userId, keyId],
  );
  const [key] = rows;
  return key === undefined ? { reason: 'not_live' } : { reason: 'too_low', ...key };
}
