-- Ends the pause of a user, and starts the sum of overruns again. False if there was no pause.
CREATE OR REPLACE FUNCTION ledger_resume_user(p_user text) RETURNS boolean LANGUAGE sql AS $$
  WITH resumed AS (
    UPDATE wallet SET overrun = 0, overrun_since = NULL, paused_at = NULL
    WHERE user_id = p_user AND paused_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM resumed)
$$;
