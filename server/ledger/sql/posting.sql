-- Returns a list with one posting, or an empty list if the amount is zero. STABLE because PostgreSQL would
-- not inline it as IMMUTABLE: it calls functions that are only STABLE.
CREATE OR REPLACE FUNCTION ledger_posting(p_account text, p_partner text, p_amount bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_amount = 0 THEN '[]'::jsonb
    ELSE jsonb_build_array(jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount)) END
$$;
