import type { PoolClient } from 'pg';
import { findDifferences } from './check';
import { POCKET_INVARIANT } from './invariants';

/** The period that an audit covers. Times are text as PostgreSQL writes them, exact to the microsecond. */
export type AuditSpan = {
  since: string;
  /** Everything booked before this is committed; the next audit starts here. */
  settled: string;
};

/**
 * Compares the pockets of all users who have transactions in the period with their postings. The cost depends
 * only on the length of the period, because `audited_pocket` stores the sum of all earlier postings. If that
 * sum does not match, or does not exist yet, the user's whole history is added up.
 */
export async function auditPockets(
  client: PoolClient,
  { since, settled }: AuditSpan,
): Promise<{ users: string[]; differences: string[] }> {
  const { rows } = await client.query<{ users: string[]; doubtful: string[] }>(
    `WITH moved AS MATERIALIZED (
       SELECT t.user_id, p.partner_id, sum(p.amount) AS amount,
              coalesce(sum(p.amount) FILTER (WHERE t.created_at < $2), 0) AS settled
       FROM ledger_transaction t
       LEFT JOIN LATERAL jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint)
         ON p.account = 'pocket'
       WHERE t.created_at >= $1::timestamptz GROUP BY 1, 2),
     active AS MATERIALIZED (SELECT DISTINCT user_id FROM moved),
     known AS MATERIALIZED (
       SELECT u.user_id, u.partner_id, u.own, a.total
       FROM active JOIN user_app u USING (user_id) LEFT JOIN audited_pocket a USING (user_id, partner_id)),
     past AS (
       SELECT e.user_id, e.partner_id, sum(e.amount) AS total
       FROM (SELECT DISTINCT user_id FROM known WHERE total IS NULL) n JOIN ledger_entry e USING (user_id)
       WHERE e.account = 'pocket' AND e.created_at < $1 GROUP BY 1, 2),
     pocket AS MATERIALIZED (
       SELECT user_id, partner_id, k.own, k.total IS NULL AS is_new, coalesce(k.total, past.total, 0) AS before,
              coalesce(m.amount, 0) AS moved, coalesce(m.settled, 0) AS settled
       FROM known k LEFT JOIN past USING (user_id, partner_id)
       FULL JOIN (SELECT * FROM moved WHERE partner_id IS NOT NULL) m USING (user_id, partner_id)),
     remember AS (
       INSERT INTO audited_pocket (user_id, partner_id, total)
       SELECT user_id, partner_id, before + settled FROM pocket WHERE own IS NOT NULL AND (is_new OR settled <> 0)
       ON CONFLICT (user_id, partner_id) DO UPDATE SET total = excluded.total)
     SELECT ARRAY(SELECT user_id FROM active) AS users,
            ARRAY(SELECT DISTINCT user_id FROM pocket WHERE own IS NULL OR own <> before + moved) AS doubtful`,
    [since, settled],
  );
  const { users, doubtful } = rows[0] ?? { users: [], doubtful: [] };
  if (doubtful.length === 0) return { users, differences: [] };
  await client.query('DELETE FROM audited_pocket WHERE user_id = ANY ($1)', [doubtful]);
  return { users, differences: await findDifferences(client, [POCKET_INVARIANT], [doubtful]) };
}
