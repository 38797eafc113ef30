-- 'ok', or the reason why `need` cannot be spent: `paused` if the user or the app is paused for review. 'busy' if it could be spent when none of the user's
-- requests were running: `idle` is the balance in that case (see idle.sql).
CREATE OR REPLACE FUNCTION ledger_status(paused boolean, spendable bigint, idle bigint, money bigint, allowance_saved bigint, need bigint)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN paused THEN 'paused_for_review'
    WHEN spendable >= need THEN 'ok'
    WHEN idle >= need THEN 'busy'
    WHEN money < need THEN 'insufficient_credits'
    WHEN coalesce(allowance_saved, 0) = 0 THEN 'partner_not_permitted'
    ELSE 'partner_limit_reached'
  END
$$;
