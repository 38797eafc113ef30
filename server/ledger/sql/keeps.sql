-- Whether a hold may outlive its request: only while `free`, what else is free in the pocket and in the wallet, is much
-- larger, so that a kept hold is hardly ever in the way, and while few of the user's requests run.
CREATE OR REPLACE FUNCTION ledger_keeps(amount bigint, free bigint, running integer, max_running integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 8 * amount <= free AND 4 * running <= max_running
$$;
