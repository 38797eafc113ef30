-- Ends the pause of an app, and starts the sum of its overruns again. False if there was no pause.
CREATE OR REPLACE FUNCTION ledger_resume_partner(p_partner text) RETURNS boolean LANGUAGE sql AS $$
  WITH resumed AS (
    UPDATE partner SET overrun = 0, overrun_since = NULL, paused_at = NULL
    WHERE id = p_partner AND paused_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM resumed)
$$;
