-- The start of the calendar day, week (from Monday) or month that contains an instant.
CREATE OR REPLACE FUNCTION ledger_period_start(kind text, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_instant(zone, date_trunc(kind, timezone(zone, at)))
$$;
