-- The two postings of most transactions: a partner's account against one that belongs to no partner.
CREATE OR REPLACE FUNCTION ledger_postings(p_account text, p_partner text, p_amount bigint, p_against text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT jsonb_build_array(
    jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount),
    jsonb_build_object('account', p_against, 'partner_id', '', 'amount', -p_amount))
$$;
