/**
 * The invariants of the ledger, as queries. Each returned row is a difference, with `invariant`, `subject`
 * and `difference`.
 */

/** `$1` is a list of users; null means all. */
const OF = (column: string): string => `($1::text[] IS NULL OR ${column} = ANY ($1))`;
/** `$1` is a time; null means since the beginning. */
const SINCE = (column: string): string => `($1::timestamptz IS NULL OR ${column} >= $1)`;
const POCKET = "coalesce(u.app_user_id, 'pocket outside any app')";

/** Pockets against all of their postings. `$1` selects users. */
export const POCKET_INVARIANT = `
  SELECT 'every pocket exists and equals the sum of its postings' AS invariant,
         CASE WHEN u.user_id IS NULL THEN 'a pocket that does not exist' ELSE ${POCKET} END AS subject,
         (coalesce(u.own, 0) - coalesce(e.total, 0))::text AS difference
  FROM (SELECT * FROM user_app WHERE ${OF('user_id')}) u
  FULL JOIN (SELECT user_id, partner_id, sum(amount) AS total FROM ledger_entry
             WHERE account = 'pocket' AND ${OF('user_id')} GROUP BY 1, 2) e USING (user_id, partner_id)
  WHERE u.user_id IS NULL OR u.own <> coalesce(e.total, 0)`;

/** The current wallets. `$1` selects users. */
export const WALLET_INVARIANTS = [
  `SELECT 'a wallet equals the sum of its pockets' AS invariant, min(u.app_user_id) AS subject,
          (a.money - sum(u.own))::text AS difference
   FROM wallet a JOIN user_app u USING (user_id)
   WHERE ${OF('a.user_id')} GROUP BY a.user_id, a.money HAVING a.money <> sum(u.own)`,

  `SELECT 'the held amount and the running requests of a wallet match its open holds' AS invariant,
          (SELECT min(u.app_user_id) FROM user_app u WHERE u.user_id = a.user_id) AS subject,
          (a.held - coalesce(h.amount, 0))::text AS difference
   FROM wallet a
   LEFT JOIN (SELECT user_id, sum(amount) AS amount, count(*) AS running FROM hold GROUP BY 1) h USING (user_id)
   WHERE ${OF('a.user_id')} AND (a.held <> coalesce(h.amount, 0) OR a.running <> coalesce(h.running, 0))`,

  `SELECT 'the held amount of a pocket matches its open holds' AS invariant, ${POCKET} AS subject,
          (u.own_held - coalesce(h.amount, 0))::text AS difference
   FROM user_app u
   LEFT JOIN (SELECT user_id, partner_id, sum(own_part) AS amount FROM hold GROUP BY 1, 2) h USING (user_id, partner_id)
   WHERE ${OF('u.user_id')} AND u.own_held <> coalesce(h.amount, 0)`,

  `SELECT 'only a refund makes a pocket negative' AS invariant, ${POCKET} AS subject, u.own::text AS difference
   FROM user_app u WHERE ${OF('u.user_id')} AND u.own < 0 AND NOT EXISTS (
     SELECT 1 FROM ledger_transaction t WHERE t.user_id = u.user_id AND t.kind = 'refund')`,
];

/**
 * Everything booked since a time (`$1`), read once. If that time falls between a receipt and its transaction,
 * the missing one is looked up: it only has to exist.
 */
export const BOOKING_INVARIANTS = `
  WITH booked AS MATERIALIZED (
    SELECT t.user_id, t.id, t.kind, t.cause_id, t.credits, e.*
    FROM ledger_transaction t
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(p.amount) FILTER (WHERE p.account = 'pocket'), 0) AS pockets,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'provider_cost'), 0) AS cost,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0) AS share
      FROM jsonb_to_recordset(t.postings) AS p (account text, amount bigint)) e
    WHERE ${SINCE('t.created_at')})
  SELECT 'the credits of a transaction equal its pocket postings' AS invariant, id AS subject,
         (credits - pockets)::text AS difference
  FROM booked WHERE credits <> pockets
  UNION ALL
  SELECT CASE WHEN r.request_id IS NULL THEN 'every charged request has a receipt'
              ELSE 'every receipt matches the postings of its transaction' END,
         coalesce(r.request_id, t.id), (coalesce(r.charge, 0) + coalesce(t.credits, 0))::text
  FROM (SELECT * FROM usage WHERE ${SINCE('created_at')}) r
  FULL JOIN (SELECT * FROM booked WHERE kind = 'usage') t ON t.user_id = r.user_id AND t.cause_id = r.request_id
  WHERE CASE
    WHEN t.id IS NULL THEN NOT EXISTS (
      SELECT 1 FROM ledger_transaction o WHERE o.user_id = r.user_id AND o.id = 'txn_' || substr(r.request_id, 5))
    WHEN r.request_id IS NULL THEN NOT EXISTS (
      SELECT 1 FROM usage o WHERE o.user_id = t.user_id AND o.request_id = t.cause_id)
    ELSE r.charge <> -t.credits OR r.charge > r.held OR r.provider_cost <> t.cost OR r.partner_share <> t.share END`;

export const EARNINGS_INVARIANT = `
  WITH mark AS (SELECT up_to FROM watermark WHERE name = 'earnings'),
  expected AS (
    SELECT e.partner_id AS partner_id, date_trunc('hour', e.created_at) AS hour, sum(e.amount) AS earned
    FROM ledger_entry e, mark WHERE e.account = 'partner_earnings' AND e.created_at < mark.up_to GROUP BY 1, 2)
  SELECT 'earnings by hour equal the postings to partners' AS invariant,
         coalesce(f.partner_id, r.partner_id) AS subject, (coalesce(r.earned, 0) - coalesce(f.earned, 0))::text AS difference
  FROM expected f FULL JOIN earnings_rollup r ON r.partner_id = f.partner_id AND r.hour = f.hour
  WHERE coalesce(r.earned, 0) <> coalesce(f.earned, 0)`;

export const LEASE_INVARIANT = `
  SELECT 'no hold stays open long after its lease expired' AS invariant, request_id AS subject,
         (clock_timestamp() - lease_until)::text AS difference
  FROM hold WHERE lease_until < clock_timestamp() - interval '2 minutes'`;
