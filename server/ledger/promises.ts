/**
 * What must always be true of the money, as queries. Each row that one returns is a difference.
 * `$1` limits a query to some users; null means all.
 */
export type LedgerPromise = { promise: string; sql: string };

const ONLY = (column: string): string => `($1::text[] IS NULL OR ${column} = ANY ($1))`;
const POCKET = "coalesce(u.app_user_id, 'pocket outside any app')";

export const USER_PROMISES: LedgerPromise[] = [
  {
    promise: 'every pocket equals the sum of its entries',
    sql: `SELECT ${POCKET} AS subject, (u.own - coalesce(e.total, 0))::text AS difference
          FROM user_app u
          LEFT JOIN (SELECT user_id, app_id, sum(amount) AS total FROM ledger_entry
                     WHERE account = 'pocket' AND ${ONLY('user_id')} GROUP BY 1, 2) e USING (user_id, app_id)
          WHERE ${ONLY('u.user_id')} AND u.own <> coalesce(e.total, 0)`,
  },
  {
    promise: 'every pocket with entries exists',
    sql: `SELECT DISTINCT e.transaction_id AS subject, 'no pocket' AS difference
          FROM ledger_entry e LEFT JOIN user_app u USING (user_id, app_id)
          WHERE ${ONLY('e.user_id')} AND e.account = 'pocket' AND u.user_id IS NULL`,
  },
  {
    promise: "a user's money is the sum of the pockets",
    sql: `SELECT min(u.app_user_id) AS subject, (a.money - sum(u.own))::text AS difference
          FROM account a JOIN user_app u USING (user_id)
          WHERE ${ONLY('a.user_id')} GROUP BY a.user_id, a.money HAVING a.money <> sum(u.own)`,
  },
  {
    promise: 'held amounts and running requests are those of the open holds',
    sql: `SELECT (SELECT min(u.app_user_id) FROM user_app u WHERE u.user_id = a.user_id) AS subject,
                 (a.held - coalesce(h.amount, 0))::text AS difference
          FROM account a
          LEFT JOIN (SELECT user_id, sum(amount) AS amount, count(*) AS running FROM hold GROUP BY 1) h USING (user_id)
          WHERE ${ONLY('a.user_id')} AND (a.held <> coalesce(h.amount, 0) OR a.running <> coalesce(h.running, 0))`,
  },
  {
    promise: 'what is held of a pocket is that of the open holds',
    sql: `SELECT ${POCKET} AS subject, (u.own_held - coalesce(h.amount, 0))::text AS difference
          FROM user_app u
          LEFT JOIN (SELECT user_id, app_id, sum(own_part) AS amount FROM hold GROUP BY 1, 2) h USING (user_id, app_id)
          WHERE ${ONLY('u.user_id')} AND u.own_held <> coalesce(h.amount, 0)`,
  },
  {
    promise: 'what a transaction says of the user is what its entries say',
    sql: `SELECT t.id AS subject, (t.credits - coalesce(e.total, 0))::text AS difference
          FROM ledger_transaction t
          LEFT JOIN (SELECT user_id, transaction_id, sum(amount) AS total FROM ledger_entry
                     WHERE account = 'pocket' AND ${ONLY('user_id')} GROUP BY 1, 2) e
            ON e.user_id = t.user_id AND e.transaction_id = t.id
          WHERE ${ONLY('t.user_id')} AND t.credits <> coalesce(e.total, 0)`,
  },
  {
    promise: 'every receipt charges what its transaction took, and splits it as the entries do',
    sql: `SELECT r.request_id AS subject, (r.charge + coalesce(t.credits, 0))::text AS difference
          FROM usage r
          LEFT JOIN ledger_transaction t ON t.user_id = r.user_id AND t.id = 'txn_' || substr(r.request_id, 5)
          LEFT JOIN (SELECT user_id, transaction_id, sum(amount) FILTER (WHERE account = 'provider_cost') AS cost,
                            sum(amount) FILTER (WHERE account = 'partner_earnings') AS share
                     FROM ledger_entry WHERE ${ONLY('user_id')} GROUP BY 1, 2) e
            ON e.user_id = t.user_id AND e.transaction_id = t.id
          WHERE ${ONLY('r.user_id')} AND (t.id IS NULL OR r.charge <> -t.credits OR r.charge > r.held
            OR r.provider_cost <> coalesce(e.cost, 0) OR r.partner_share <> coalesce(e.share, 0))`,
  },
  {
    promise: 'every request that was charged has a receipt',
    sql: `SELECT t.id AS subject, (-t.credits)::text AS difference
          FROM ledger_transaction t LEFT JOIN usage r ON r.user_id = t.user_id AND r.request_id = t.cause_id
          WHERE ${ONLY('t.user_id')} AND t.kind = 'usage' AND r.request_id IS NULL`,
  },
  {
    promise: 'only a refund makes a pocket negative',
    sql: `SELECT ${POCKET} AS subject, u.own::text AS difference
          FROM user_app u WHERE ${ONLY('u.user_id')} AND u.own < 0 AND NOT EXISTS (
            SELECT 1 FROM ledger_transaction t WHERE t.user_id = u.user_id AND t.kind = 'refund')`,
  },
];

export const EARNINGS_PROMISE: LedgerPromise = {
  promise: "partners' earnings by hour are those of the entries",
  sql: `WITH mark AS (SELECT up_to FROM watermark WHERE name = 'earnings'),
        folded AS (SELECT e.app_id AS partner_id, date_trunc('hour', e.created_at) AS hour, sum(e.amount) AS earned
                   FROM ledger_entry e, mark WHERE e.account = 'partner_earnings' AND e.created_at < mark.up_to GROUP BY 1, 2)
        SELECT coalesce(f.partner_id, r.partner_id) AS subject, (coalesce(r.earned, 0) - coalesce(f.earned, 0))::text AS difference
        FROM folded f FULL JOIN earnings_rollup r ON r.partner_id = f.partner_id AND r.hour = f.hour
        WHERE $1::text[] IS NULL AND coalesce(r.earned, 0) <> coalesce(f.earned, 0)`,
};

export const SERVICE_PROMISES: LedgerPromise[] = [
  {
    promise: 'no hold is open long past its lease',
    sql: `SELECT request_id AS subject, (clock_timestamp() - lease_until)::text AS difference
          FROM hold WHERE $1::text[] IS NULL AND lease_until < clock_timestamp() - interval '2 minutes'`,
  },
  EARNINGS_PROMISE,
];
