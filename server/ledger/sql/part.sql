-- The part of an amount that corresponds to `p_part` of `p_whole`, rounded down.
CREATE OR REPLACE FUNCTION ledger_part(p_amount bigint, p_part bigint, p_whole bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_part = 0 THEN 0 ELSE div(p_amount::numeric * p_part, p_whole)::bigint END
$$;
