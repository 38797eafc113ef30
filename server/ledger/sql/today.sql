-- The day by which limits of partners count, in UTC.
CREATE OR REPLACE FUNCTION ledger_today() RETURNS date LANGUAGE sql VOLATILE AS $$
  SELECT timezone('UTC', ledger_clock())::date
$$;
