-- The charge for a request: exact picocredits plus a commission in basis points, in microcredits,
-- rounded up once. chargeFor() in server/credits.ts computes the same; a test compares the two.
CREATE OR REPLACE FUNCTION ledger_charge(exact numeric, rate_bp integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT div(exact * (10000 + rate_bp) + 9999999999, 10000000000)::bigint
$$;
