-- The clock of spending limits. Tests replace it.
CREATE OR REPLACE FUNCTION ledger_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() $$;

-- When a local time first occurs in a time zone. Where clocks go back at midnight, it occurs twice.
CREATE OR REPLACE FUNCTION ledger_instant(zone text, local_time timestamp) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN timezone(zone, i - interval '1 hour') >= local_time THEN i - interval '1 hour' ELSE i END
  FROM timezone(zone, local_time) AS i
$$;

-- The start of the calendar day, week (from Monday) or month that contains an instant.
CREATE OR REPLACE FUNCTION ledger_period_start(kind text, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_instant(zone, date_trunc(kind, timezone(zone, at)))
$$;

CREATE OR REPLACE FUNCTION ledger_period_end(kind text, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_instant(zone, date_trunc(kind, timezone(zone, at)) + ('1 ' || kind)::interval)
$$;

-- The day by which limits of partners count, in UTC.
CREATE OR REPLACE FUNCTION ledger_today() RETURNS date LANGUAGE sql VOLATILE AS $$
  SELECT timezone('UTC', ledger_clock())::date
$$;

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
