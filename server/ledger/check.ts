import { pool } from '../db';

/** One sum that must hold; each row that it returns is a difference, told in words. */
const CHECKS: { promise: string; sql: string }[] = [
  {
    promise: 'the entries of every transaction sum to zero',
    sql: `SELECT transaction_id AS subject, sum(amount)::text AS difference
          FROM ledger_entry GROUP BY user_id, transaction_id HAVING sum(amount) <> 0`,
  },
  {
    promise: 'every pocket equals the sum of its entries',
    sql: `SELECT coalesce(u.app_user_id, 'pocket outside any app') AS subject, (u.own - coalesce(e.total, 0))::text AS difference
          FROM user_app u
          LEFT JOIN (SELECT user_id, app_id, sum(amount) AS total FROM ledger_entry WHERE account = 'pocket' GROUP BY 1, 2) e
            USING (user_id, app_id)
          WHERE u.own <> coalesce(e.total, 0)`,
  },
  {
    promise: 'every pocket with entries exists',
    sql: `SELECT DISTINCT e.transaction_id AS subject, 'no pocket' AS difference
          FROM ledger_entry e LEFT JOIN user_app u USING (user_id, app_id)
          WHERE e.account = 'pocket' AND u.user_id IS NULL`,
  },
  {
    promise: "a user's money is the sum of the pockets",
    sql: `SELECT min(u.app_user_id) AS subject, (a.money - sum(u.own))::text AS difference
          FROM account a JOIN user_app u USING (user_id) GROUP BY a.user_id, a.money HAVING a.money <> sum(u.own)`,
  },
  {
    promise: 'held amounts and running requests are those of the open holds',
    sql: `SELECT min(u.app_user_id) AS subject, (a.held - coalesce(max(h.amount), 0))::text AS difference
          FROM account a JOIN user_app u USING (user_id)
          LEFT JOIN (SELECT user_id, sum(amount) AS amount, count(*) AS running FROM hold WHERE state = 'held' GROUP BY 1) h USING (user_id)
          WHERE a.held <> coalesce(h.amount, 0) OR a.running <> coalesce(h.running, 0)
          GROUP BY a.user_id, a.held`,
  },
  {
    promise: 'what is held of a pocket is that of the open holds',
    sql: `SELECT coalesce(u.app_user_id, 'pocket outside any app') AS subject, (u.own_held - coalesce(h.amount, 0))::text AS difference
          FROM user_app u
          LEFT JOIN (SELECT user_id, app_id, sum(own_part) AS amount FROM hold WHERE state = 'held' GROUP BY 1, 2) h USING (user_id, app_id)
          WHERE u.own_held <> coalesce(h.amount, 0)`,
  },
  {
    promise: 'what a transaction says of the user is what its entries say',
    sql: `SELECT t.id AS subject, (t.credits - coalesce(e.total, 0))::text AS difference
          FROM ledger_transaction t
          LEFT JOIN (SELECT user_id, transaction_id, sum(amount) AS total FROM ledger_entry WHERE account = 'pocket' GROUP BY 1, 2) e
            ON e.user_id = t.user_id AND e.transaction_id = t.id
          WHERE t.credits <> coalesce(e.total, 0)`,
  },
  {
    promise: 'every captured hold has one transaction of its amount',
    sql: `SELECT h.request_id AS subject, h.captured::text AS difference
          FROM hold h
          LEFT JOIN ledger_transaction t ON t.user_id = h.user_id AND t.kind = 'usage' AND t.cause_id = h.request_id
          WHERE h.state = 'captured' AND coalesce(-t.credits, -1) <> h.captured`,
  },
  {
    promise: 'every receipt charges what was captured',
    sql: `SELECT r.request_id AS subject, (r.charge - coalesce(h.captured, 0))::text AS difference
          FROM usage r LEFT JOIN hold h ON h.user_id = r.user_id AND h.request_id = r.request_id
          WHERE h.request_id IS NULL OR h.captured <> r.charge`,
  },
  {
    promise: 'only a refund makes a pocket negative',
    sql: `SELECT coalesce(u.app_user_id, 'pocket outside any app') AS subject, u.own::text AS difference
          FROM user_app u WHERE u.own < 0 AND NOT EXISTS (
            SELECT 1 FROM ledger_transaction t WHERE t.user_id = u.user_id AND t.kind = 'refund')`,
  },
  {
    promise: 'no hold is open long past its lease',
    sql: `SELECT request_id AS subject, (clock_timestamp() - lease_until)::text AS difference
          FROM hold WHERE state = 'held' AND lease_until < clock_timestamp() - interval '2 minutes'`,
  },
];

export type LedgerReport = {
  /** Empty when everything holds. */
  differences: string[];
  users: number;
  transactions: number;
};

/** Recomputes every balance from the entries, in one snapshot, and tells what does not agree. */
export async function checkLedger(): Promise<LedgerReport> {
  const client = await pool().connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    const differences: string[] = [];
    for (const { promise, sql } of CHECKS) {
      const { rows } = await client.query<{ subject: string; difference: string }>(sql);
      differences.push(...rows.map((row) => `${promise}: ${row.subject} differs by ${row.difference}`));
    }
    const { rows } = await client.query<{ users: number; transactions: number }>(
      'SELECT (SELECT count(*)::int FROM account) AS users, (SELECT count(*)::int FROM ledger_transaction) AS transactions',
    );
    return { differences, users: rows[0]?.users ?? 0, transactions: rows[0]?.transactions ?? 0 };
  } finally {
    await client.query('ROLLBACK').catch(() => {});
    client.release();
  }
}
