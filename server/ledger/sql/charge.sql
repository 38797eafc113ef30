-- Computes the charge for a request in microcredits, rounded up once, from exact picocredits and a commission
-- in basis points. chargeFor() in server/base/credits.ts computes the same; a test compares the two.
CREATE OR REPLACE FUNCTION ledger_charge(exact numeric, rate_bp integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT div(exact * (10000 + rate_bp) + 9999999999, 10000000000)::bigint
$$;
