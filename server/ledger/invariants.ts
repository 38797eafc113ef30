import { LEASE_SECONDS } from './batch';
import { LONGEST_JOB_SECONDS } from './job-holds';

/**
 * The invariants of the ledger, as queries. Each returned row is a difference, with `invariant`, `subject`
 * and `difference`, which is null where there is no amount.
 */

/** `$1` is a list of users; null means all. */
export const OF = (column: string): string => `($1::text[] IS NULL OR ${column} = ANY ($1))`;
const POCKET = "coalesce(u.app_user_id, 'pocket outside any app')";

/** All postings to pockets: of the transactions, and of the archived months. */
const POCKET_ENTRY = `
  SELECT user_id, partner_id, amount, granted, created_at FROM ledger_entry WHERE account = 'pocket'
  UNION ALL
  SELECT user_id, partner_id, moved, granted, month::timestamp AT TIME ZONE 'UTC' FROM archived_month`;

/** Pockets against all of their postings. `$1` selects users. */
export const POCKET_INVARIANT = `
  SELECT 'every pocket exists and equals the sum of its postings' AS invariant,
         CASE WHEN u.user_id IS NULL THEN 'a pocket that does not exist' ELSE ${POCKET} END AS subject,
         (coalesce(u.own, 0) - coalesce(e.total, 0))::text AS difference
  FROM (SELECT * FROM user_app WHERE ${OF('user_id')}) u
  FULL JOIN (SELECT user_id, partner_id, sum(amount) AS total FROM (${POCKET_ENTRY}) e
             WHERE ${OF('user_id')} GROUP BY 1, 2) e USING (user_id, partner_id)
  WHERE u.user_id IS NULL OR u.own <> coalesce(e.total, 0)`;

/** Granted credits against the postings that say how much of them was granted. `$1` selects users. */
export const GRANTED_INVARIANT = `
  SELECT 'the granted credits of a pocket equal the granted parts of its postings' AS invariant, ${POCKET} AS subject,
         (u.own_granted - coalesce(e.granted, 0))::text AS difference
  FROM (SELECT * FROM user_app WHERE ${OF('user_id')}) u
  LEFT JOIN (SELECT user_id, partner_id, sum(granted) AS granted FROM (${POCKET_ENTRY}) e
             WHERE ${OF('user_id')} GROUP BY 1, 2) e USING (user_id, partner_id)
  WHERE u.own_granted <> coalesce(e.granted, 0)`;

/** The last allowance that a user saved for each partner, and how many were saved. `$1` selects users. */
const SAVED = `
  SELECT DISTINCT ON (user_id, partner_id) user_id, partner_id, created_at, coalesce(allowance_saved, 0) AS amount,
         count(*) OVER pocket AS saves, lead(allowance_saved) OVER (pocket ORDER BY created_at DESC) AS amount_before
  FROM ledger_transaction WHERE kind = 'permission' AND ${OF('user_id')}
  WINDOW pocket AS (PARTITION BY user_id, partner_id)
  ORDER BY user_id, partner_id, created_at DESC`;

/** The current wallets. `$1` selects users. */
export const WALLET_INVARIANTS = [
  `SELECT 'a wallet equals the sum of its pockets' AS invariant, u.subject,
          (coalesce(a.money, 0) - coalesce(u.own, 0))::text AS difference
   FROM (SELECT * FROM wallet WHERE ${OF('user_id')}) a
   FULL JOIN (SELECT user_id, min(app_user_id) AS subject, sum(own) AS own FROM user_app
              WHERE ${OF('user_id')} GROUP BY 1) u USING (user_id)
   WHERE a.user_id IS NULL OR a.money <> coalesce(u.own, 0)`,

  `SELECT 'the held amount and the running requests of a wallet match its open holds' AS invariant,
          (SELECT min(u.app_user_id) FROM user_app u WHERE u.user_id = a.user_id) AS subject,
          (a.held - coalesce(h.amount, 0))::text AS difference
   FROM wallet a
   LEFT JOIN (SELECT user_id, sum(amount) AS amount, count(*) AS running FROM hold GROUP BY 1) h USING (user_id)
   WHERE ${OF('a.user_id')} AND (a.held <> coalesce(h.amount, 0) OR a.running <> coalesce(h.running, 0))`,

  `SELECT 'the held amount of a budget matches the open holds that draw on it, and every one of them exists' AS invariant,
          id AS subject, (coalesce(b.held, 0) - coalesce(h.amount, 0))::text AS difference
   FROM (SELECT * FROM budget WHERE ${OF('user_id')}) b
   FULL JOIN (SELECT h.user_id, n.id, sum(h.amount) AS amount, count(*) AS running FROM hold h CROSS JOIN unnest(h.budgets) AS n (id)
              WHERE ${OF('h.user_id')} GROUP BY 1, 2) h USING (user_id, id)
   WHERE b.held IS DISTINCT FROM coalesce(h.amount, 0) OR b.used < coalesce(h.running, 0)`,

  // Of run keys: a receipt does not name its run. Receipts of archived months are not counted.
  `SELECT 'a budget of a run key has spent what its requests were charged, and counts them' AS invariant, b.id AS subject,
          (b.spent - coalesce(u.charge, 0))::text AS difference
   FROM budget b
   LEFT JOIN (SELECT k.user_id, n.id, sum(t.charge) AS charge, count(*) AS requests
              FROM user_key k CROSS JOIN unnest(k.lineage[2:]) AS n (id)
              JOIN usage t ON t.user_id = k.user_id AND t.key_id = k.id
              WHERE k.lineage <> '{}' AND ${OF('k.user_id')} GROUP BY 1, 2) u USING (user_id, id)
   LEFT JOIN (SELECT h.user_id, n.id, count(*) AS requests FROM hold h CROSS JOIN unnest(h.budgets) AS n (id)
              WHERE ${OF('h.user_id')} GROUP BY 1, 2) h USING (user_id, id)
   WHERE ${OF('b.user_id')} AND b.id NOT LIKE 'run:%'
     AND b.created_at > coalesce((SELECT up_to FROM watermark WHERE name = 'archive'), '-infinity')
     AND (b.spent <> coalesce(u.charge, 0) OR b.used <> coalesce(u.requests, 0) + coalesce(h.requests, 0))`,

  `SELECT 'the held amount of a pocket matches its open holds' AS invariant, ${POCKET} AS subject,
          (u.own_held - coalesce(h.amount, 0))::text AS difference
   FROM user_app u
   LEFT JOIN (SELECT user_id, partner_id, sum(own_part) AS amount FROM hold GROUP BY 1, 2) h USING (user_id, partner_id)
   WHERE ${OF('u.user_id')} AND u.own_held <> coalesce(h.amount, 0)`,

  `SELECT 'only a refund makes a pocket negative' AS invariant, ${POCKET} AS subject, u.own::text AS difference
   FROM user_app u WHERE ${OF('u.user_id')} AND u.own < 0 AND NOT EXISTS (
     SELECT 1 FROM ledger_transaction t WHERE t.user_id = u.user_id AND t.kind = 'refund')`,

  // A paused allowance is what was left of the one before the last save.
  `SELECT 'an allowance is the one that the user saved last' AS invariant, ${POCKET} AS subject,
          (coalesce(u.allowance_saved, u.allowance_paused, 0) - coalesce(s.amount, 0))::text AS difference
   FROM user_app u LEFT JOIN (${SAVED}) s USING (user_id, partner_id)
   WHERE ${OF('u.user_id')} AND (coalesce(u.allowance_saved, 0) <> coalesce(s.amount, 0)
     OR u.epoch <> coalesce(s.saves, 0) OR u.allowance_paused > coalesce(s.amount_before, 0))`,
];

/** What is left of each allowance, against the requests since it was saved. `$1` selects users. */
export const ALLOWANCE_INVARIANT = `
  WITH saved AS MATERIALIZED (${SAVED}),
  spent AS (
    SELECT user_id, partner_id, sum(amount) AS amount FROM (
      SELECT t.user_id, t.partner_id, t.allowance_spent AS amount
      FROM ledger_transaction t JOIN saved s USING (user_id, partner_id)
      WHERE t.allowance_spent IS NOT NULL AND t.created_at > s.created_at AND ledger_slot(t.created_at) >= ledger_slot(s.created_at)
        AND ${OF('t.user_id')}
      UNION ALL
      SELECT m.user_id, m.partner_id, m.allowance_spent
      FROM archived_month m JOIN saved s USING (user_id, partner_id)
      WHERE (m.month + interval '1 month') AT TIME ZONE 'UTC' > s.created_at AND ${OF('m.user_id')}) e
    GROUP BY 1, 2),
  held AS (
    SELECT user_id, partner_id, epoch, sum(amount - own_part) AS amount FROM hold GROUP BY 1, 2, 3)
  SELECT 'an allowance has left what requests neither spent nor hold of it' AS invariant, ${POCKET} AS subject,
         (u.allowance_left - e.left)::text AS difference
  FROM user_app u
  LEFT JOIN saved USING (user_id, partner_id)
  LEFT JOIN spent USING (user_id, partner_id)
  LEFT JOIN held h ON h.user_id = u.user_id AND h.partner_id = u.partner_id AND h.epoch = u.epoch
  CROSS JOIN LATERAL (SELECT coalesce(saved.amount, 0) - coalesce(spent.amount, 0) - coalesce(h.amount, 0) AS left) e
  WHERE ${OF('u.user_id')} AND u.allowance_left <> e.left`;

/**
 * What limits count against the requests of their periods: of users in `spending_limit`, of partners in `user_app`. `$1`
 * selects users. A minute more may count, because a clock that was put back over the start of a period resets nothing.
 * Periods that began in an archived month have ended long ago.
 */
export const LIMIT_INVARIANT = `
  WITH archive AS (SELECT up_to FROM watermark WHERE name = 'archive'),
  counted AS (
    SELECT l.user_id, l.partner_id, p.* FROM spending_limit l
    CROSS JOIN LATERAL (VALUES ('day', l.day_spent, l.day_starts, l.day_ends), ('week', l.week_spent, l.week_starts, l.week_ends),
      ('month', l.month_spent, l.month_starts, l.month_ends)) AS p (period, spent, starts, ends)
    WHERE ${OF('l.user_id')}
    UNION ALL
    SELECT u.user_id, u.partner_id, p.period, p.spent, timezone('UTC', p.starts), timezone('UTC', u.spent_on + interval '1 day')
    FROM user_app u
    CROSS JOIN LATERAL (VALUES ('day', u.day_spent, u.spent_on::timestamp),
      ('month', u.month_spent, date_trunc('month', u.spent_on::timestamp))) AS p (period, spent, starts)
    WHERE u.spent_on IS NOT NULL AND ${OF('u.user_id')})
  SELECT 'what limits count is what was spent in their periods' AS invariant,
         CASE WHEN c.partner_id = '' THEN 'all apps' ELSE b.app_user_id END || ' per ' || c.period AS subject,
         (c.spent - b.spent)::text AS difference
  FROM counted c CROSS JOIN archive
  CROSS JOIN LATERAL (
    SELECT min(u.app_user_id) AS app_user_id, coalesce(sum(t.spent) FILTER (WHERE t.created_at >= c.starts), 0) AS spent,
           coalesce(sum(t.spent), 0) AS most
    FROM user_app u LEFT JOIN LATERAL (
      SELECT t.created_at, -t.credits AS spent FROM ledger_transaction t
      WHERE t.user_id = u.user_id AND t.partner_id = u.partner_id AND t.kind = 'usage'
        AND t.created_at >= c.starts - interval '1 minute' AND t.created_at < c.ends
        AND ledger_slot(t.created_at) >= ledger_slot(c.starts - interval '1 minute')
        AND ledger_slot(t.created_at) <= ledger_slot(c.ends)) t ON true
    WHERE u.user_id = c.user_id AND c.partner_id IN ('', u.partner_id)) b
  WHERE c.starts >= archive.up_to AND c.spent NOT BETWEEN b.spent AND b.most`;

/** The daily sums of requests against the receipts. `$1` selects users. */
export const USAGE_DAY_INVARIANT = `
  WITH mark AS (SELECT up_to FROM watermark WHERE name = 'usage'),
  archive AS (SELECT up_to FROM watermark WHERE name = 'archive'),
  receipts AS (
    SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, partner_id, model, count(*) AS requests,
           sum(input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens + output_tokens) AS tokens,
           sum(charge) AS charge
    FROM usage, mark, archive
    WHERE created_at >= archive.up_to AND created_at < mark.up_to AND ${OF('user_id')} GROUP BY 1, 2, 3, 4)
  SELECT 'requests by day equal the receipts' AS invariant, model || ' on ' || day AS subject,
         (coalesce(d.charge, 0) - coalesce(r.charge, 0))::text AS difference
  FROM receipts r
  FULL JOIN (SELECT d.* FROM usage_day d, archive
             WHERE d.day >= (archive.up_to AT TIME ZONE 'UTC')::date AND ${OF('user_id')}) d USING (user_id, day, partner_id, model)
  WHERE (r.requests, r.tokens, r.charge) IS DISTINCT FROM (d.requests, d.tokens, d.charge)`;

/** The same for the months whose receipts are archived, as far as sums can show it. `$1` selects users. */
export const ARCHIVED_USAGE_INVARIANT = `
  WITH archive AS (SELECT up_to FROM watermark WHERE name = 'archive'),
  part AS (
    SELECT user_id, partner_id, month, requests, tokens, charge, 0::bigint AS requests_by_day, 0::bigint AS tokens_by_day,
           0::bigint AS charge_by_day
    FROM archived_month WHERE ${OF('user_id')}
    UNION ALL
    SELECT user_id, partner_id, date_trunc('month', created_at AT TIME ZONE 'UTC')::date, 1,
           input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens + output_tokens, charge, 0, 0, 0
    FROM usage, archive WHERE created_at < archive.up_to AND ${OF('user_id')}
    UNION ALL
    SELECT user_id, partner_id, date_trunc('month', day)::date, 0, 0, 0, requests, tokens, charge
    FROM usage_day, archive WHERE day < (archive.up_to AT TIME ZONE 'UTC')::date AND ${OF('user_id')})
  SELECT 'requests by day equal the totals of the archived receipts of the month' AS invariant,
         coalesce(min(u.app_user_id), 'no pocket') || ' in ' || to_char(month, 'YYYY-MM') AS subject,
         (sum(charge_by_day) - sum(charge))::text AS difference
  FROM part LEFT JOIN user_app u USING (user_id, partner_id) GROUP BY user_id, partner_id, month
  HAVING (sum(requests), sum(tokens), sum(charge)) <> (sum(requests_by_day), sum(tokens_by_day), sum(charge_by_day))`;

/**
 * Earnings by hour, from `$1` to before `$2`; null means all. `$3` are sums that were already added up, of the postings
 * before `$4`, as [{partner_id, hour, earned}].
 */
export const EARNINGS_INVARIANT = `
  WITH mark AS (SELECT up_to FROM watermark WHERE name = 'earnings'),
  archive AS (SELECT up_to FROM watermark WHERE name = 'archive'),
  expected AS (
    SELECT partner_id, hour, sum(earned) AS earned FROM (
      SELECT * FROM json_to_recordset(coalesce($3::json, '[]')) AS c (partner_id text, hour timestamptz, earned bigint)
      UNION ALL
      SELECT e.partner_id, date_trunc('hour', e.created_at), e.amount
      FROM ledger_entry e, mark, archive
      WHERE e.created_at >= archive.up_to AND e.account = 'partner_earnings' AND e.created_at < mark.up_to
        AND (coalesce($4::timestamptz, $1::timestamptz) IS NULL OR e.created_at >= coalesce($4, $1))
        AND ($2::timestamptz IS NULL OR e.created_at < $2)) a, archive
    WHERE hour >= archive.up_to GROUP BY 1, 2),
  rolled_up AS (
    SELECT r.* FROM earnings_rollup r, archive
    WHERE hour >= archive.up_to AND ($1::timestamptz IS NULL OR hour >= $1) AND ($2::timestamptz IS NULL OR hour < $2))
  SELECT 'earnings by hour equal the postings to partners' AS invariant,
         coalesce(f.partner_id, r.partner_id) AS subject, (coalesce(r.earned, 0) - coalesce(f.earned, 0))::text AS difference
  FROM expected f FULL JOIN rolled_up r ON r.partner_id = f.partner_id AND r.hour = f.hour
  WHERE coalesce(r.earned, 0) <> coalesce(f.earned, 0)`;

/** Earnings by hour and by day of the months whose receipts are archived, as far as sums can show them. */
export const ARCHIVED_EARNINGS_INVARIANT = `
  WITH archive AS (SELECT up_to FROM watermark WHERE name = 'archive'),
  part AS (
    SELECT partner_id, month, earned, earned AS posted, 0::bigint AS earned_by_day, 0::bigint AS posted_by_hour FROM archived_month
    UNION ALL
    SELECT partner_id, date_trunc('month', posted_at AT TIME ZONE 'UTC')::date, CASE kind WHEN 'earned' THEN amount ELSE 0 END,
           amount, 0, 0
    FROM ledger_earning, archive WHERE posted_at < archive.up_to
    UNION ALL
    SELECT partner_id, date_trunc('month', day)::date, 0, 0, amount, 0
    FROM earnings_day, archive WHERE kind = 'earned' AND day < (archive.up_to AT TIME ZONE 'UTC')::date
    UNION ALL
    SELECT partner_id, date_trunc('month', hour AT TIME ZONE 'UTC')::date, 0, 0, 0, earned
    FROM earnings_rollup, archive WHERE hour < archive.up_to)
  SELECT 'earnings equal the totals of the archived receipts of the month' AS invariant,
         partner_id || ' in ' || to_char(month, 'YYYY-MM') AS subject, (sum(posted_by_hour) - sum(posted))::text AS difference
  FROM part GROUP BY partner_id, month
  HAVING (sum(earned), sum(posted)) <> (sum(earned_by_day), sum(posted_by_hour))`;

/** What holds at any moment, however busy the service is, even if the clock of the database was put back a little. */
export const PRESENT_INVARIANTS = [
  `SELECT 'no watermark is in the future' AS invariant, name AS subject,
          (up_to - clock_timestamp())::text AS difference
   FROM watermark WHERE up_to > clock_timestamp() + interval '1 minute'`,

  `SELECT 'no lease is longer than a renewal makes it' AS invariant, request_id AS subject,
          (lease_until - clock_timestamp())::text AS difference
   FROM hold WHERE lease_until > clock_timestamp()
     + make_interval(secs => CASE WHEN job_id IS NULL THEN ${LEASE_SECONDS + 30} ELSE ${LONGEST_JOB_SECONDS} END)`,
];

export const LEASE_INVARIANT = `
  SELECT 'no hold stays open long after its lease expired' AS invariant, request_id AS subject,
         (clock_timestamp() - lease_until)::text AS difference
  FROM hold WHERE lease_until < clock_timestamp() - interval '2 minutes'`;
