-- Returns a list with the posting of a pocket, or an empty list if the amount is zero. `granted` is the part of
-- the amount that was granted, with the same sign; commission is neither earned nor reversed on it.
CREATE OR REPLACE FUNCTION ledger_pocket_posting(p_partner text, p_amount bigint, p_granted bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_amount = 0 THEN '[]'::jsonb
    WHEN p_granted = 0 THEN
      jsonb_build_array(jsonb_build_object('account', 'pocket', 'partner_id', p_partner, 'amount', p_amount))
    ELSE jsonb_build_array(
      jsonb_build_object('account', 'pocket', 'partner_id', p_partner, 'amount', p_amount, 'granted', p_granted))
  END
$$;
