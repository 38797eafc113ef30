/** What must always be true of the money, as queries. Each row that one returns is a difference. */
export type LedgerPromise = { promise: string; sql: string };

/** `$1` names users; null means all. */
const OF = (column: string): string => `($1::text[] IS NULL OR ${column} = ANY ($1))`;
/** `$1` is a time; null means ever. */
const SINCE = (column: string): string => `($1::timestamptz IS NULL OR ${column} >= $1)`;
const POCKET = "coalesce(u.app_user_id, 'pocket outside any app')";
/** What the postings of transaction `t` move, as `e`. */
const MOVED = `LEFT JOIN LATERAL (
            SELECT coalesce(sum(p.amount) FILTER (WHERE p.account = 'pocket'), 0) AS pockets,
                   coalesce(sum(p.amount) FILTER (WHERE p.account = 'provider_cost'), 0) AS cost,
                   coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0) AS share
            FROM jsonb_to_recordset(t.postings) AS p (account text, amount bigint)) e ON true`;

/** Of some users' pockets (`$1`), from all entries they ever had. */
export const POCKET_PROMISE: LedgerPromise = {
  promise: 'every pocket equals the sum of its entries',
  sql: `SELECT ${POCKET} AS subject, (u.own - coalesce(e.total, 0))::text AS difference
        FROM user_app u
        LEFT JOIN (SELECT user_id, app_id, sum(amount) AS total FROM ledger_entry
                   WHERE account = 'pocket' AND ${OF('user_id')} GROUP BY 1, 2) e USING (user_id, app_id)
        WHERE ${OF('u.user_id')} AND u.own <> coalesce(e.total, 0)`,
};

/** Of some users' wallets (`$1`) as they are now. */
export const WALLET_PROMISES: LedgerPromise[] = [
  {
    promise: "a user's money is the sum of the pockets",
    sql: `SELECT min(u.app_user_id) AS subject, (a.money - sum(u.own))::text AS difference
          FROM account a JOIN user_app u USING (user_id)
          WHERE ${OF('a.user_id')} GROUP BY a.user_id, a.money HAVING a.money <> sum(u.own)`,
  },
  {
    promise: 'held amounts and running requests are those of the open holds',
    sql: `SELECT (SELECT min(u.app_user_id) FROM user_app u WHERE u.user_id = a.user_id) AS subject,
                 (a.held - coalesce(h.amount, 0))::text AS difference
          FROM account a
          LEFT JOIN (SELECT user_id, sum(amount) AS amount, count(*) AS running FROM hold GROUP BY 1) h USING (user_id)
          WHERE ${OF('a.user_id')} AND (a.held <> coalesce(h.amount, 0) OR a.running <> coalesce(h.running, 0))`,
  },
  {
    promise: 'what is held of a pocket is that of the open holds',
    sql: `SELECT ${POCKET} AS subject, (u.own_held - coalesce(h.amount, 0))::text AS difference
          FROM user_app u
          LEFT JOIN (SELECT user_id, app_id, sum(own_part) AS amount FROM hold GROUP BY 1, 2) h USING (user_id, app_id)
          WHERE ${OF('u.user_id')} AND u.own_held <> coalesce(h.amount, 0)`,
  },
  {
    promise: 'only a refund makes a pocket negative',
    sql: `SELECT ${POCKET} AS subject, u.own::text AS difference
          FROM user_app u WHERE ${OF('u.user_id')} AND u.own < 0 AND NOT EXISTS (
            SELECT 1 FROM ledger_transaction t WHERE t.user_id = u.user_id AND t.kind = 'refund')`,
  },
];

/** Of what was booked since a time (`$1`). */
export const BOOKING_PROMISES: LedgerPromise[] = [
  {
    promise: 'every pocket with entries exists',
    sql: `SELECT DISTINCT e.transaction_id AS subject, 'no pocket' AS difference
          FROM ledger_entry e LEFT JOIN user_app u USING (user_id, app_id)
          WHERE ${SINCE('e.created_at')} AND e.account = 'pocket' AND u.user_id IS NULL`,
  },
  {
    promise: 'what a transaction says of the user is what its entries say',
    sql: `SELECT t.id AS subject, (t.credits - e.pockets)::text AS difference
          FROM ledger_transaction t ${MOVED}
          WHERE ${SINCE('t.created_at')} AND t.credits <> e.pockets`,
  },
  {
    promise: 'every receipt charges what its transaction took, and splits it as the entries do',
    sql: `SELECT r.request_id AS subject, (r.charge + coalesce(t.credits, 0))::text AS difference
          FROM usage r
          LEFT JOIN ledger_transaction t ON t.user_id = r.user_id AND t.id = 'txn_' || substr(r.request_id, 5)
          ${MOVED}
          WHERE ${SINCE('r.created_at')} AND (t.id IS NULL OR r.charge <> -t.credits OR r.charge > r.held
            OR r.provider_cost <> e.cost OR r.partner_share <> e.share)`,
  },
  {
    promise: 'every request that was charged has a receipt',
    sql: `SELECT t.id AS subject, (-t.credits)::text AS difference
          FROM ledger_transaction t LEFT JOIN usage r ON r.user_id = t.user_id AND r.request_id = t.cause_id
          WHERE ${SINCE('t.created_at')} AND t.kind = 'usage' AND r.request_id IS NULL`,
  },
];

export const EARNINGS_PROMISE: LedgerPromise = {
  promise: "partners' earnings by hour are those of the entries",
  sql: `WITH mark AS (SELECT up_to FROM watermark WHERE name = 'earnings'),
        folded AS (SELECT e.app_id AS partner_id, date_trunc('hour', e.created_at) AS hour, sum(e.amount) AS earned
                   FROM ledger_entry e, mark WHERE e.account = 'partner_earnings' AND e.created_at < mark.up_to GROUP BY 1, 2)
        SELECT coalesce(f.partner_id, r.partner_id) AS subject, (coalesce(r.earned, 0) - coalesce(f.earned, 0))::text AS difference
        FROM folded f FULL JOIN earnings_rollup r ON r.partner_id = f.partner_id AND r.hour = f.hour
        WHERE coalesce(r.earned, 0) <> coalesce(f.earned, 0)`,
};

export const LEASE_PROMISE: LedgerPromise = {
  promise: 'no hold is open long past its lease',
  sql: `SELECT request_id AS subject, (clock_timestamp() - lease_until)::text AS difference
        FROM hold WHERE lease_until < clock_timestamp() - interval '2 minutes'`,
};
