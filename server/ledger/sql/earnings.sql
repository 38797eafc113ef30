-- A partner's earnings: what has matured, what is still within the hold period of `hold_days`, and what has
-- matured although the payments behind it can still be disputed. Card networks allow that for 120 days.
CREATE OR REPLACE FUNCTION ledger_earnings(p_partner text, p_default_hold interval)
RETURNS TABLE (matured bigint, maturing bigint, disputable bigint, hold_days integer) LANGUAGE sql STABLE AS $$
  WITH mark AS (SELECT coalesce((SELECT up_to FROM watermark WHERE name = 'earnings'), '2000-01-01') AS up_to),
  hold AS (SELECT ledger_earnings_hold(p_partner, p_default_hold) AS period),
  all_hours AS (
    SELECT hour, earned::numeric FROM earnings_rollup WHERE partner_id = p_partner
    UNION ALL
    SELECT e.created_at, e.amount FROM ledger_entry e, mark
    WHERE e.account = 'partner_earnings' AND e.partner_id = p_partner AND e.created_at >= mark.up_to
  ),
  aged AS (
    SELECT earned, hour + interval '1 hour' <= clock_timestamp() - hold.period AS is_matured,
           hour + interval '1 hour' > clock_timestamp() - interval '120 days' AS is_disputable
    FROM all_hours, hold
  )
  SELECT coalesce(sum(earned) FILTER (WHERE is_matured), 0)::bigint,
         coalesce(sum(earned) FILTER (WHERE NOT is_matured), 0)::bigint,
         greatest(0, coalesce(sum(earned) FILTER (WHERE is_matured AND is_disputable), 0))::bigint,
         (SELECT extract(day FROM period)::integer FROM hold)
  FROM aged
$$;
