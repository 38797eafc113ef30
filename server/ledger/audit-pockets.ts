import type { PoolClient } from 'pg';
import { type Slice, useIndexOnTime } from './check-bookings';
import { findDifferences } from './differences';
import { POCKET_INVARIANT } from './invariants';

/**
 * `audited_pocket` stores the sum of a pocket's postings before the watermark of the audit, so that the cost of an audit
 * depends only on what came since.
 */
const MOVED = (condition: string): string => `
  SELECT t.user_id, p.partner_id, sum(p.amount) AS amount
  FROM ledger_transaction t
  CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p
  WHERE p.account = 'pocket' AND ${condition} GROUP BY 1, 2`;

/** Adds the postings of a slice to the stored sums. */
export async function addToAuditedPockets(client: PoolClient, { since, until }: Slice): Promise<void> {
  await client.query(
    `UPDATE audited_pocket a SET total = a.total + m.amount
     FROM (${MOVED('t.created_at >= $1 AND t.created_at < $2')}) m
     WHERE a.user_id = m.user_id AND a.partner_id = m.partner_id AND m.amount <> 0`,
    [since, until],
  );
}

/**
 * Compares the pockets of users with their postings: the stored sums and what came since. A pocket without a stored sum
 * gets one. If a sum does not match, the user's whole history is added up before a difference is reported.
 */
export async function auditPockets(client: PoolClient, users: string[]): Promise<string[]> {
  await useIndexOnTime(client);
  const mark = await client.query<{ up_to: string }>(
    "SELECT up_to::text FROM watermark WHERE name = 'audit'",
  );
  const { rows } = await client.query<{ doubtful: string[] }>(
    `WITH moved AS MATERIALIZED (${MOVED('t.user_id = ANY ($1) AND t.created_at >= $2')}),
     known AS MATERIALIZED (
       SELECT u.user_id, u.partner_id, u.own, a.total
       FROM user_app u LEFT JOIN audited_pocket a USING (user_id, partner_id) WHERE u.user_id = ANY ($1)),
     new_user AS MATERIALIZED (SELECT DISTINCT user_id FROM known WHERE total IS NULL),
     past AS (
       SELECT user_id, partner_id, sum(amount) AS total FROM (
         SELECT e.user_id, e.partner_id, e.amount FROM new_user n JOIN ledger_entry e USING (user_id)
         WHERE e.account = 'pocket' AND e.created_at < $2
         UNION ALL
         SELECT m.user_id, m.partner_id, m.moved FROM new_user n JOIN archived_month m USING (user_id)) p
       GROUP BY 1, 2),
     pocket AS MATERIALIZED (
       SELECT user_id, partner_id, k.own, k.total IS NULL AS is_new, coalesce(k.total, past.total, 0) AS before,
              coalesce(m.amount, 0) AS moved
       FROM known k LEFT JOIN past USING (user_id, partner_id) FULL JOIN moved m USING (user_id, partner_id)),
     remember AS (
       INSERT INTO audited_pocket (user_id, partner_id, total)
       SELECT user_id, partner_id, before FROM pocket WHERE own IS NOT NULL AND is_new)
     SELECT ARRAY(SELECT DISTINCT user_id FROM pocket WHERE own IS NULL OR own <> before + moved) AS doubtful`,
    [users, mark.rows[0]?.up_to],
  );
  const doubtful = rows[0]?.doubtful ?? [];
  if (doubtful.length === 0) return [];
  await client.query('DELETE FROM audited_pocket WHERE user_id = ANY ($1)', [doubtful]);
  return findDifferences(client, [POCKET_INVARIANT], [doubtful]);
}
