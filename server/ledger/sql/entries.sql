-- The postings of a transaction, one per row, from its columns. A request that spent only bought credits of its app's
-- own pocket stores none, because they follow from the other columns. Each of those is a branch of its own, so that the
-- planner drops the accounts that a reader does not ask for. The columns are separate parameters because PostgreSQL
-- would build the whole row again for each field of it.
CREATE OR REPLACE FUNCTION ledger_entries(
  p_kind text, p_partner text, p_credits bigint, p_cost bigint, p_share bigint, p_postings jsonb
) RETURNS TABLE (account text, partner_id text, amount bigint, granted bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.account, p.partner_id, p.amount, p.granted
  FROM jsonb_to_recordset(p_postings) AS p (account text, partner_id text, amount bigint, granted bigint)
  WHERE p_postings IS NOT NULL
  UNION ALL
  SELECT 'pocket', p_partner, p_credits, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND p_credits <> 0
  UNION ALL
  SELECT 'provider_cost', '', p_cost, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND p_cost <> 0
  UNION ALL
  SELECT 'partner_earnings', p_partner, p_share, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND p_share <> 0
  UNION ALL
  SELECT 'overrun_loss', '', -p_credits - p_cost - p_share, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND -p_credits <> p_cost + p_share
$$;
