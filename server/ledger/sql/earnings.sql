-- The earnings of apps, with those that are not rolled up yet: what has matured, what is still within the hold
-- period of `hold_days`, what has matured although the payments behind it can still be disputed, and how much of
-- the matured part is paid out or payable. Less than nothing is payable if commission was reversed after it was
-- paid out.
CREATE OR REPLACE FUNCTION ledger_earnings(p_partners text[], p_default_hold interval, p_as_of timestamptz)
RETURNS TABLE (
  partner_id text, matured bigint, maturing bigint, disputable bigint, paid_out bigint, payable bigint, hold_days integer
) LANGUAGE sql STABLE AS $$
  WITH mark AS (SELECT coalesce((SELECT up_to FROM watermark WHERE name = 'earnings'), '2000-01-01') AS up_to),
  app AS MATERIALIZED (
    SELECT a.id, ledger_matured_until(a.id, p_default_hold, p_as_of) AS matured_until,
           extract(day FROM ledger_earnings_hold(a.id, p_default_hold))::integer AS hold_days
    FROM unnest(p_partners) AS a (id)
  ),
  every_day AS (
    SELECT e.partner_id, e.day, e.amount::numeric FROM earnings_day e WHERE e.partner_id = ANY (p_partners)
    UNION ALL
    SELECT e.partner_id, e.day, e.amount FROM ledger_earning e, mark
    WHERE e.posted_at >= mark.up_to AND e.partner_id = ANY (p_partners)
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
