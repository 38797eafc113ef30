-- The end of the period that contains `at`, after one that ended at `ended`. If the time zone has changed since, the
-- period in between is the one that comes closest to a whole one: up to 12 hours shorter or longer. A zone that this
-- database does not know counts as UTC, because a settlement must not fail.
CREATE OR REPLACE FUNCTION ledger_next_period_end(kind text, zone text, ended timestamptz, at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN greatest(
    ledger_instant(zone, date_trunc(kind, timezone(zone, ended) + interval '12 hours') + ('1 ' || kind)::interval),
    ledger_period_end(kind, zone, at));
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN ledger_period_end(kind, 'UTC', at);
END $$;
