-- A partner's earnings: what has matured, and what is still within the hold period.
CREATE OR REPLACE FUNCTION ledger_earnings(p_partner text, p_hold interval)
RETURNS TABLE (matured bigint, maturing bigint) LANGUAGE sql STABLE AS $$
  WITH mark AS (SELECT coalesce((SELECT up_to FROM watermark WHERE name = 'earnings'), '2000-01-01') AS up_to),
  all_hours AS (
    SELECT hour, earned::numeric FROM earnings_rollup WHERE partner_id = p_partner
    UNION ALL
    SELECT e.created_at, e.amount FROM ledger_entry e, mark
    WHERE e.account = 'partner_earnings' AND e.partner_id = p_partner AND e.created_at >= mark.up_to
  )
  SELECT coalesce(sum(earned) FILTER (WHERE hour + interval '1 hour' <= clock_timestamp() - p_hold), 0)::bigint,
         coalesce(sum(earned) FILTER (WHERE hour + interval '1 hour' > clock_timestamp() - p_hold), 0)::bigint
  FROM all_hours
$$;
