-- Ends a stop. False if there was none.
CREATE OR REPLACE FUNCTION ledger_resume_spending(p_user text, p_partner text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  was_stopped boolean;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  UPDATE spending_limit SET stopped_at = NULL WHERE user_id = p_user AND partner_id = p_partner AND stopped_at IS NOT NULL;
  was_stopped := FOUND;
  PERFORM ledger_forget_limits(p_user, p_partner);
  RETURN was_stopped;
END $$;
