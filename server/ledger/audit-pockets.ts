import type { PoolClient } from 'pg';
import { findDifferences } from './check';
import { POCKET_PROMISE } from './promises';

/** What an audit looks at, in times as the database writes them: exact to the microsecond. */
export type AuditSpan = {
  since: string;
  /** What was booked before this is final; the next audit begins here. */
  settled: string;
};

/**
 * The pockets of `users` against their entries, at the cost of what came since the last audit:
 * `audited_pocket` keeps what the entries before it summed up to. Where that does not agree, or a pocket
 * is new to the auditor, the whole history speaks.
 */
export async function findPocketDifferences(
  client: PoolClient,
  users: string[],
  { since, settled }: AuditSpan,
): Promise<string[]> {
  const { rows } = await client.query<{ user_id: string }>(
    `WITH moved AS (
       SELECT user_id, app_id, sum(amount) AS amount, coalesce(sum(amount) FILTER (WHERE created_at < $3), 0) AS settled
       FROM ledger_entry WHERE account = 'pocket' AND created_at >= $2::timestamptz GROUP BY 1, 2),
     pocket AS (
       SELECT u.user_id, u.app_id, u.own, coalesce(m.amount, 0) AS moved, coalesce(m.settled, 0) AS settled,
              a.user_id IS NULL AS is_new,
              coalesce(a.total, (
                SELECT sum(e.amount) FROM ledger_entry e
                WHERE e.user_id = u.user_id AND e.app_id = u.app_id AND e.account = 'pocket' AND e.created_at < $2), 0) AS before
       FROM user_app u
       LEFT JOIN moved m USING (user_id, app_id)
       LEFT JOIN audited_pocket a USING (user_id, app_id)
       WHERE u.user_id = ANY ($1)),
     remember AS (
       INSERT INTO audited_pocket (user_id, app_id, total)
       SELECT user_id, app_id, before + settled FROM pocket WHERE is_new OR settled <> 0
       ON CONFLICT (user_id, app_id) DO UPDATE SET total = excluded.total)
     SELECT DISTINCT user_id FROM pocket WHERE own <> before + moved`,
    [users, since, settled],
  );
  const doubtful = rows.map((row) => row.user_id);
  if (doubtful.length === 0) return [];
  await client.query('DELETE FROM audited_pocket WHERE user_id = ANY ($1)', [doubtful]);
  return findDifferences(client, [POCKET_PROMISE], [doubtful]);
}
