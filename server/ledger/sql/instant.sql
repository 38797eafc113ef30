-- When a local time first occurs in a time zone. Where clocks go back at midnight, it occurs twice.
CREATE OR REPLACE FUNCTION ledger_instant(zone text, local_time timestamp) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN timezone(zone, i - interval '1 hour') >= local_time THEN i - interval '1 hour' ELSE i END
  FROM timezone(zone, local_time) AS i
$$;
