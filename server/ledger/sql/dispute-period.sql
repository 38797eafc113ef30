-- How long card networks allow a payment to be disputed. Commission can be reversed for this long after its
-- request, or as long as it matures if that is longer; then it is final.
CREATE OR REPLACE FUNCTION ledger_dispute_period() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT interval '120 days'
$$;
