/** Payouts and the sums that they are computed from. `$1` is a list of teams; null means all. */
const OF_TEAM = (column: string): string => `($1::text[] IS NULL OR ${column} = ANY ($1))`;

/** The lines of payouts, with the times at which they were booked and booked back. */
const LINE = `
  SELECT l.*, o.team_id, o.posted_until, b.created_at AS booked_at, r.created_at AS returned_at
  FROM payout_line l
  JOIN payout o ON o.id = l.payout_id
  LEFT JOIN payout_transaction b ON b.payout_id = o.id AND b.kind = 'payout'
  LEFT JOIN payout_transaction r ON r.payout_id = o.id AND r.kind = 'payout_return'`;

/** `y` is a line of the same app that counted when `x` was booked. */
const COUNTED_BEFORE =
  'y.partner_id = x.partner_id AND y.booked_at < x.booked_at AND coalesce(y.returned_at > x.booked_at, true)';

/** What was posted for a payout and an app: paid and taken from the earnings, and both again when it was returned. */
const POSTED = `
  SELECT t.payout_id, p.partner_id,
         coalesce(sum(p.amount) FILTER (WHERE t.kind = 'payout' AND p.account = 'partner_paid_out'), 0) AS paid,
         coalesce(-sum(p.amount) FILTER (WHERE t.kind = 'payout' AND p.account = 'partner_earnings'), 0) AS taken,
         coalesce(-sum(p.amount) FILTER (WHERE t.kind = 'payout_return' AND p.account = 'partner_paid_out'), 0) AS returned,
         coalesce(sum(p.amount) FILTER (WHERE t.kind = 'payout_return' AND p.account = 'partner_earnings'), 0) AS given_back
  FROM payout_transaction t
  JOIN payout o ON o.id = t.payout_id
  CROSS JOIN LATERAL jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint)
  WHERE ${OF_TEAM('o.team_id')} GROUP BY 1, 2`;

export const PAYOUT_INVARIANTS = [
  `SELECT 'the amount of a payout is the sum of its lines' AS invariant, o.id AS subject,
          (o.amount - coalesce(sum(l.amount), 0))::text AS difference
   FROM payout o LEFT JOIN payout_line l ON l.payout_id = o.id
   WHERE ${OF_TEAM('o.team_id')} GROUP BY o.id HAVING o.amount <> coalesce(sum(l.amount), 0)`,

  `SELECT 'the items of a payout are what it pays and carries over' AS invariant, x.payout_id AS subject,
          (i.amount + x.carried_before - x.amount - x.carried_after)::text AS difference
   FROM (${LINE}) x
   CROSS JOIN LATERAL (SELECT coalesce(sum(i.amount), 0) AS amount FROM payout_item i
                       WHERE i.payout_id = x.payout_id AND i.partner_id = x.partner_id) i
   WHERE ${OF_TEAM('x.team_id')} AND i.amount + x.carried_before <> x.amount + x.carried_after`,

  `SELECT CASE WHEN x.carried_before = e.carried THEN 'what has matured stays matured'
               ELSE 'a payout begins with what those before it carried over' END AS invariant,
          x.payout_id AS subject, (x.carried_before - e.carried)::text AS difference
   FROM (${LINE}) x
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(y.carried_after - y.carried_before), 0) AS carried, max(y.matured_until) AS matured_until
     FROM (${LINE}) y WHERE ${COUNTED_BEFORE}) e
   WHERE ${OF_TEAM('x.team_id')} AND (x.carried_before <> e.carried OR x.matured_until < e.matured_until)`,

  // An app without an amount in a payout has no posting.
  `SELECT CASE WHEN (e.paid, e.taken) = (e.amount, e.amount)
               THEN 'a payout is booked back if and only if it failed or was returned'
               ELSE 'a payout is booked as its lines say' END AS invariant, e.payout_id AS subject,
          (e.paid - e.returned - CASE WHEN e.is_void THEN 0 ELSE e.amount END)::text AS difference
   FROM (
     SELECT payout_id, o.state IN ('returned', 'failed') AS is_void, coalesce(l.amount, 0) AS amount,
            coalesce(p.paid, 0) AS paid, coalesce(p.taken, 0) AS taken, coalesce(p.returned, 0) AS returned,
            coalesce(p.given_back, 0) AS given_back
     FROM (SELECT l.payout_id, l.partner_id, l.amount FROM payout_line l JOIN payout o ON o.id = l.payout_id
           WHERE ${OF_TEAM('o.team_id')}) l
     FULL JOIN (${POSTED}) p USING (payout_id, partner_id)
     JOIN payout o ON o.id = payout_id) e
   WHERE (e.paid, e.taken) <> (e.amount, e.amount)
     OR (e.returned, e.given_back) <> (CASE WHEN e.is_void THEN e.amount ELSE 0 END, CASE WHEN e.is_void THEN e.amount ELSE 0 END)`,

  // The maturity period only decides what is payable and what is maturing.
  `WITH app AS (SELECT id FROM partner WHERE team_id IS NOT NULL AND ${OF_TEAM('team_id')}),
   earned AS (
     SELECT partner_id, sum(amount) AS amount FROM (
       SELECT r.partner_id, r.earned AS amount FROM earnings_rollup r JOIN app ON app.id = r.partner_id
       UNION ALL
       SELECT e.partner_id, e.amount FROM ledger_earning e
       WHERE e.posted_at >= (SELECT up_to FROM watermark WHERE name = 'earnings') AND e.partner_id IN (SELECT id FROM app)) a
     GROUP BY 1)
   SELECT 'what an app was paid, is owed and has maturing is what it earned' AS invariant, e.partner_id AS subject,
          (coalesce(p.paid, 0) + e.payable + e.maturing - coalesce(a.amount, 0))::text AS difference
   FROM ledger_earnings(ARRAY(SELECT id FROM app), interval '30 days', clock_timestamp()) e
   LEFT JOIN earned a USING (partner_id)
   LEFT JOIN LATERAL (
     SELECT sum(p.amount) AS paid FROM payout_line l
     JOIN payout_transaction t ON t.payout_id = l.payout_id
     CROSS JOIN LATERAL jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint)
     WHERE l.partner_id = e.partner_id AND p.account = 'partner_paid_out' AND p.partner_id = e.partner_id) p ON true
   WHERE coalesce(p.paid, 0) + e.payable + e.maturing <> coalesce(a.amount, 0)`,
];

/** The sums by day against all postings, except those of archived receipts. */
export const EARNINGS_DAY_INVARIANT = `
  WITH archive AS (SELECT (up_to AT TIME ZONE 'UTC')::date AS day FROM watermark WHERE name = 'archive'),
  expected AS (
    SELECT partner_id, day, model, kind, count(*) AS requests, sum(amount) AS amount FROM ledger_earning
    WHERE posted_at < (SELECT up_to FROM watermark WHERE name = 'earnings')
      AND (kind <> 'earned' OR day >= (SELECT day FROM archive)) GROUP BY 1, 2, 3, 4)
  SELECT 'earnings by day equal the postings to partners' AS invariant, partner_id || ' on ' || day AS subject,
         (coalesce(d.amount, 0) - coalesce(e.amount, 0))::text AS difference
  FROM expected e
  FULL JOIN (SELECT * FROM earnings_day WHERE kind <> 'earned' OR day >= (SELECT day FROM archive)) d
    USING (partner_id, day, model, kind)
  WHERE (d.requests, d.amount) IS DISTINCT FROM (e.requests, e.amount)`;

/**
 * What the newest payout of each app and those that counted before it list, against the postings that it says it
 * includes, each once: the sums by day less what was posted after it.
 */
export const PAYOUT_ITEM_INVARIANT = `
  WITH newest AS MATERIALIZED (
    SELECT DISTINCT ON (partner_id) * FROM (${LINE}) x WHERE booked_at IS NOT NULL ORDER BY partner_id, booked_at DESC),
  counted AS (
    SELECT y.payout_id, y.partner_id FROM newest x JOIN (${LINE}) y ON ${COUNTED_BEFORE}
    UNION ALL SELECT payout_id, partner_id FROM newest),
  listed AS (
    SELECT i.partner_id, i.day, i.model, i.kind, sum(i.requests) AS requests, sum(i.amount) AS amount
    FROM counted c JOIN payout_item i USING (payout_id, partner_id) GROUP BY 1, 2, 3, 4),
  late AS MATERIALIZED (
    SELECT partner_id, day, model, kind, amount, posted_at FROM ledger_earning
    WHERE posted_at >= (SELECT min(posted_until) FROM newest)
      AND posted_at < (SELECT up_to FROM watermark WHERE name = 'earnings')),
  expected AS (
    SELECT partner_id, day, model, kind, sum(requests) AS requests, sum(amount) AS amount FROM (
      SELECT d.* FROM newest x JOIN earnings_day d ON d.partner_id = x.partner_id AND d.day < x.matured_until
      UNION ALL
      SELECT l.partner_id, l.day, l.model, l.kind, -1, -l.amount
      FROM newest x JOIN late l ON l.partner_id = x.partner_id AND l.day < x.matured_until AND l.posted_at >= x.posted_until) e
    GROUP BY 1, 2, 3, 4 HAVING sum(requests) <> 0)
  SELECT 'payouts list every posting once' AS invariant, partner_id || ' on ' || day AS subject,
         (coalesce(l.amount, 0) - coalesce(e.amount, 0))::text AS difference
  FROM expected e FULL JOIN listed l USING (partner_id, day, model, kind)
  WHERE (l.requests, l.amount) IS DISTINCT FROM (e.requests, e.amount)`;
