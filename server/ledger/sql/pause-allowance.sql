-- Removes the allowance and remembers the unspent part for resume-allowance.sql. Returns no row if nothing
-- was left. Running requests keep what they hold of it; that part is not remembered.
CREATE OR REPLACE FUNCTION ledger_pause_allowance(p_user text, p_partner text, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
DECLARE
  remaining bigint;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT allowance_left INTO remaining FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  IF coalesce(remaining, 0) = 0 THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM ledger_save_allowance(p_user, p_partner, NULL, p_save, p_transaction);
  UPDATE user_app SET allowance_paused = remaining WHERE user_id = p_user AND partner_id = p_partner;
END $$;
