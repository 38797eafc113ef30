-- Restores a paused allowance as a new save. Returns no row if none is paused.
CREATE OR REPLACE FUNCTION ledger_resume_allowance(p_user text, p_partner text, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean, allowance_saved bigint)
LANGUAGE plpgsql AS $$
DECLARE
  paused bigint;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT allowance_paused INTO paused FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  IF paused IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT s.*, paused FROM ledger_save_allowance(p_user, p_partner, paused, p_save, p_transaction) s;
END $$;
