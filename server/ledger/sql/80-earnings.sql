-- What partners earn: when commission matures, what reverses it, and its sums.

-- How long a partner's commission takes to mature: its own period, or else the default.
CREATE OR REPLACE FUNCTION ledger_earnings_hold(p_partner text, p_default interval) RETURNS interval
LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT make_interval(days => p.earnings_hold_days) FROM partner p WHERE p.id = p_partner), p_default)
$$;

-- How long card networks allow a payment to be disputed. Commission can be reversed for this long after its
-- request, or as long as it matures if that is longer; then it is final.
CREATE OR REPLACE FUNCTION ledger_dispute_period() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT interval '120 days'
$$;

-- The day (UTC) before which an app's earnings have matured. It never moves back, even if the maturity period is
-- extended after a payout.
CREATE OR REPLACE FUNCTION ledger_matured_until(p_partner text, p_default_hold interval, p_as_of timestamptz) RETURNS date
LANGUAGE sql STABLE AS $$
  SELECT greatest(
    ((p_as_of - ledger_earnings_hold(p_partner, p_default_hold)) AT TIME ZONE 'UTC')::date,
    (SELECT max(l.matured_until) FROM payout_line l WHERE l.partner_id = p_partner))
$$;

-- Matches a user's commission to what the user paid for. If refunds and disputes took back more bought credits
-- than a pocket still had, some requests were served on credits nobody paid for: `own_granted - own` of them.
-- The commission on that many credits is reversed, oldest request first, and restored once a won dispute, a
-- failed refund or a later purchase covers them again. Only the difference to what is already reversed is
-- booked, so the result depends on the pockets and not on the order of events.
--
-- Commission can be reversed as long as a payment can be disputed, or until it matures if that is later, whether
-- or not it was paid out. After that it is final: what is reversed by then can only be restored.
--
-- Each booking is a separate transaction. Its note names the transaction of the request, its related_id the
-- purchase whose booking caused it.
CREATE OR REPLACE FUNCTION ledger_match_earnings(p_user text, p_related text, p_default_hold interval)
RETURNS void LANGUAGE sql AS $$
  WITH unpaid AS (
    SELECT partner_id AS pocket, own_granted - own AS credits FROM user_app WHERE user_id = p_user AND own_granted > own
  ),
  app AS (
    SELECT partner_id, clock_timestamp() - greatest(ledger_dispute_period(), ledger_earnings_hold(partner_id, p_default_hold)) AS final_until
    FROM user_app WHERE user_id = p_user
  ),
  moved AS MATERIALIZED (
    SELECT r.note AS id, count(*) AS steps, -sum(e.amount)::bigint AS reversed
    FROM ledger_transaction r
    CROSS JOIN LATERAL ledger_entries(r.kind, r.partner_id, r.credits, r.provider_cost, r.partner_share, r.postings) e
    WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND e.account = 'partner_earnings'
    GROUP BY 1
  ),
  -- What corrections changed of the bought credits and of the commission of a request. Commission rises only if the
  -- request cost more than its hold, so that the partner earned nothing on it.
  corrected AS MATERIALIZED (
    SELECT c.note AS id, e.partner_id AS pocket, sum(coalesce(e.granted, 0) - e.amount) AS bought, NULL::bigint AS share
    FROM ledger_transaction c
    CROSS JOIN LATERAL ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) e
    WHERE c.user_id = p_user AND c.kind = 'correction' AND e.account = 'pocket' GROUP BY 1, 2
    UNION ALL
    SELECT c.note, NULL, NULL, sum(e.amount)::bigint
    FROM ledger_transaction c
    CROSS JOIN LATERAL ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) e
    WHERE c.user_id = p_user AND c.kind = 'correction' AND e.account = 'partner_earnings' GROUP BY 1
  ),
  candidate AS (
    SELECT t.*, true AS is_open
    FROM app a JOIN ledger_transaction t ON t.user_id = p_user AND t.partner_id = a.partner_id AND t.created_at > a.final_until
      AND ledger_slot(t.created_at) >= ledger_slot(a.final_until)
    WHERE t.kind = 'usage' AND (t.partner_share > 0 OR t.id IN (SELECT id FROM corrected WHERE share > 0)) AND EXISTS (SELECT 1 FROM unpaid)
    UNION ALL
    SELECT t.*, t.created_at > a.final_until
    FROM moved m JOIN ledger_transaction t ON t.user_id = p_user AND t.id = m.id JOIN app a ON a.partner_id = t.partner_id
    WHERE t.created_at <= a.final_until OR NOT EXISTS (SELECT 1 FROM unpaid)
  ),
  -- The bought credits that each request took from each pocket, as far as their commission can be reversed.
  piece AS (
    SELECT c.id, c.created_at, c.is_open, p.partner_id AS pocket, coalesce(m.reversed, 0) AS reversed, coalesce(m.steps, 0) AS steps,
           CASE WHEN c.is_open THEN b.bought ELSE coalesce(ceil(b.bought::numeric * m.reversed / nullif(coalesce(p.share, 0) + coalesce(s.share, 0), 0)), 0)
           END AS credits
    FROM candidate c
    LEFT JOIN moved m ON m.id = c.id
    LEFT JOIN corrected s ON s.id = c.id AND s.pocket IS NULL
    CROSS JOIN LATERAL (
      SELECT p.*, sum(p.amount) FILTER (WHERE p.account = 'partner_earnings') OVER () AS share
      FROM ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) p WHERE p.account IN ('pocket', 'partner_earnings') OFFSET 0) p
    LEFT JOIN corrected k ON k.id = c.id AND k.pocket = p.partner_id
    CROSS JOIN LATERAL (SELECT coalesce(p.granted, 0) - p.amount + coalesce(k.bought, 0) AS bought) b
    WHERE p.account = 'pocket' AND (p.share IS NOT NULL OR s.share IS NOT NULL)
  ),
  reached AS (
    SELECT p.*, sum(p.credits) OVER (
             PARTITION BY p.pocket ORDER BY p.reversed > 0 DESC, p.created_at, p.id) - p.credits AS before
    FROM piece p
  ),
  -- Most requests are not affected; only the others are examined.
  covered AS (
    SELECT r.id, r.is_open, r.reversed, r.steps,
           sum(greatest(0, least(r.credits, coalesce(u.credits, 0) - r.before)))::bigint AS credits
    FROM reached r LEFT JOIN unpaid u ON u.pocket = r.pocket
    WHERE r.reversed > 0 OR r.before < u.credits
    GROUP BY 1, 2, 3, 4
  ),
  wanted AS (
    SELECT c.id, t.partner_id, c.steps,
           least(CASE WHEN c.is_open THEN e.share ELSE c.reversed END, ledger_part(e.share, c.credits, e.bought)) - c.reversed AS amount
    FROM covered c
    JOIN ledger_transaction t ON t.user_id = p_user AND t.id = c.id
    CROSS JOIN LATERAL (
      SELECT (coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0)
               + coalesce((SELECT sum(k.share) FROM corrected k WHERE k.id = c.id), 0))::bigint AS share,
             (sum(coalesce(p.granted, 0) - p.amount) FILTER (WHERE p.account = 'pocket')
               + coalesce((SELECT sum(k.bought) FROM corrected k WHERE k.id = c.id), 0))::bigint AS bought
      FROM ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p) e
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, 'txn_' || substr(md5(w.id || ':' || w.steps + 1), 1, 22), w.partner_id, 'earnings_reversal',
    w.id || ':' || w.steps + 1, p_related, 0, 0, w.id,
    ledger_postings('partner_earnings', w.partner_id, -w.amount, 'chargeback_loss')
  FROM wanted w WHERE w.amount <> 0;
$$;

-- The postings of commission, one per row. What is reversed, restored or corrected is dated by the request it concerns, and has
-- its model. That request is read only for a reader that names one of the two columns.
CREATE OR REPLACE VIEW ledger_earning AS
  SELECT p.partner_id, p.amount, t.created_at AS posted_at,
    CASE t.kind WHEN 'usage' THEN 'earned' ELSE 'reversed' END AS kind,
    ((CASE t.kind WHEN 'usage' THEN t.created_at ELSE (
      SELECT r.created_at FROM ledger_transaction r WHERE r.id = t.note) END)
      AT TIME ZONE 'UTC')::date AS day,
    coalesce(CASE t.kind WHEN 'usage' THEN t.model ELSE (
      SELECT r.model FROM ledger_transaction r WHERE r.id = t.note) END, '') AS model
  FROM ledger_transaction t
  CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p
  WHERE t.kind IN ('usage', 'earnings_reversal', 'correction') AND p.account = 'partner_earnings';

-- The postings of commission that ledger_roll_up has not added yet. The planner has no statistics about the watermark, so
-- the setting makes it use the index on time.
CREATE OR REPLACE FUNCTION ledger_pending_earnings() RETURNS SETOF ledger_earning
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT * FROM ledger_earning WHERE posted_at >= (SELECT up_to FROM watermark WHERE name = 'earnings')
$$;

-- Adds new earnings to the sums: by the hour in which they were posted, and by day of the request and model,
-- from which payouts are computed. Postings younger than `p_lag` may belong to a transaction that is still
-- running: they are added later, and readers include them. A call adds at most about 20,000 transactions, so that it is
-- short, and returns true if there is more to add. The planner has no statistics about the watermark, so the settings
-- make it use the index on time and look up what was reversed.
CREATE OR REPLACE FUNCTION ledger_roll_up(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'earnings' FOR UPDATE;
  IF newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);
  WITH fresh AS MATERIALIZED (
    SELECT partner_id, date_trunc('hour', posted_at) AS hour, day, model, kind, sum(amount) AS earned, count(*) AS entries
    FROM ledger_earning WHERE posted_at >= begun AND posted_at < upto
    GROUP BY 1, 2, 3, 4, 5
  ), by_hour AS (
    INSERT INTO earnings_rollup (partner_id, hour, earned) SELECT partner_id, hour, sum(earned) FROM fresh GROUP BY 1, 2
    ON CONFLICT (partner_id, hour) DO UPDATE SET earned = earnings_rollup.earned + excluded.earned
  )
  INSERT INTO earnings_day AS d (partner_id, day, model, kind, requests, amount)
  SELECT partner_id, day, model, kind, sum(entries), sum(earned) FROM fresh GROUP BY 1, 2, 3, 4
  ON CONFLICT (partner_id, day, model, kind) DO UPDATE SET
    requests = d.requests + excluded.requests, amount = d.amount + excluded.amount;
  UPDATE watermark SET up_to = upto WHERE name = 'earnings';
  RETURN upto < newest;
END $$;

-- The lines of payouts that neither failed nor were returned. The next payout lists the requests of
-- the others again.
CREATE OR REPLACE VIEW ledger_paid_line AS
  SELECT l.* FROM payout_line l JOIN payout o ON o.id = l.payout_id WHERE o.state NOT IN ('returned', 'failed');

-- The earnings of apps, with those that are not rolled up yet: what has matured, what is still within the
-- maturity period of `hold_days`, what has matured although the payments behind it can still be disputed, and how much of
-- the matured part is paid out or payable. The payable amount is negative if commission was reversed after it was
-- paid out.
CREATE OR REPLACE FUNCTION ledger_earnings(p_partners text[], p_default_hold interval, p_as_of timestamptz)
RETURNS TABLE (
  partner_id text, matured bigint, maturing bigint, disputable bigint, paid_out bigint, payable bigint, hold_days integer
) LANGUAGE sql STABLE AS $$
  WITH app AS MATERIALIZED (
    SELECT a.id, ledger_matured_until(a.id, p_default_hold, p_as_of) AS matured_until,
           extract(day FROM ledger_earnings_hold(a.id, p_default_hold))::integer AS hold_days
    FROM unnest(p_partners) AS a (id)
  ),
  every_day AS (
    SELECT e.partner_id, e.day, e.amount::numeric FROM earnings_day e WHERE e.partner_id = ANY (p_partners)
    UNION ALL
    SELECT e.partner_id, e.day, e.amount FROM ledger_pending_earnings() e WHERE e.partner_id = ANY (p_partners)
  ),
  total AS (
    SELECT a.id, a.hold_days,
           coalesce(sum(e.amount) FILTER (WHERE e.day < a.matured_until), 0)::bigint AS matured,
           coalesce(sum(e.amount) FILTER (WHERE e.day >= a.matured_until), 0)::bigint AS maturing,
           greatest(0, coalesce(sum(e.amount) FILTER (WHERE e.day < a.matured_until
             AND e.day >= ((p_as_of - ledger_dispute_period()) AT TIME ZONE 'UTC')::date), 0))::bigint AS disputable
    FROM app a LEFT JOIN every_day e ON e.partner_id = a.id GROUP BY 1, 2
  ),
  paid AS (
    SELECT l.partner_id, sum(l.amount)::bigint AS amount FROM ledger_paid_line l WHERE l.partner_id = ANY (p_partners) GROUP BY 1
  )
  SELECT t.id, t.matured, t.maturing, t.disputable, coalesce(p.amount, 0), t.matured - coalesce(p.amount, 0), t.hold_days
  FROM total t LEFT JOIN paid p ON p.partner_id = t.id
$$;
