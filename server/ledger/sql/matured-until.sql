-- The day (UTC) before which an app's earnings have matured. A payout is final in this, so a longer hold period
-- does not bring the day back.
CREATE OR REPLACE FUNCTION ledger_matured_until(p_partner text, p_default_hold interval, p_as_of timestamptz) RETURNS date
LANGUAGE sql STABLE AS $$
  SELECT greatest(
    ((p_as_of - ledger_earnings_hold(p_partner, p_default_hold)) AT TIME ZONE 'UTC')::date,
    (SELECT max(l.matured_until) FROM payout_line l WHERE l.partner_id = p_partner))
$$;
