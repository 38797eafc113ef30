-- How long a partner's commission takes to mature: its own period, or else the default.
CREATE OR REPLACE FUNCTION ledger_earnings_hold(p_partner text, p_default interval) RETURNS interval
LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT make_interval(days => p.earnings_hold_days) FROM partner p WHERE p.id = p_partner), p_default)
$$;
