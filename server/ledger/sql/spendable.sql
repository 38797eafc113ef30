-- The balance: what one partner can spend for one user now. This is the own pocket plus the allowance, but
-- never more than is free in the whole wallet.
CREATE OR REPLACE FUNCTION ledger_spendable(money bigint, held bigint, own bigint, own_held bigint, allowance_left bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT greatest(0, least(money - held, greatest(0, own - own_held) + allowance_left))
$$;
