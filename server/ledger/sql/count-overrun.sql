-- Adds an overrun to the sums of the user and the app, and pauses those whose sum passes the limit: admission
-- then returns 'paused_for_review' until an operator resumes them (resume-user.sql). A sum covers the 24 hours from
-- its first overrun. Returns who was paused by this one: 'user', 'app', 'user and app' or null. The caller has
-- locked the wallet.
CREATE OR REPLACE FUNCTION ledger_count_overrun(
  p_user text, p_partner text, p_overrun bigint, p_user_limit bigint, p_app_limit bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  day_ago CONSTANT timestamptz := clock_timestamp() - interval '24 hours';
  pauses_user boolean;
  pauses_app boolean;
BEGIN
  UPDATE wallet a SET
    overrun = CASE WHEN a.overrun_since > day_ago THEN a.overrun ELSE 0 END + p_overrun,
    overrun_since = CASE WHEN a.overrun_since > day_ago THEN a.overrun_since ELSE clock_timestamp() END
  WHERE a.user_id = p_user
  RETURNING a.paused_at IS NULL AND a.overrun > p_user_limit INTO pauses_user;
  IF pauses_user THEN
    UPDATE wallet SET paused_at = clock_timestamp() WHERE user_id = p_user;
  END IF;

  UPDATE partner p SET
    overrun = CASE WHEN p.overrun_since > day_ago THEN p.overrun ELSE 0 END + p_overrun,
    overrun_since = CASE WHEN p.overrun_since > day_ago THEN p.overrun_since ELSE clock_timestamp() END
  WHERE p.id = p_partner
  RETURNING p.paused_at IS NULL AND p.overrun > p_app_limit INTO pauses_app;
  IF pauses_app THEN
    UPDATE partner SET paused_at = clock_timestamp() WHERE id = p_partner;
  END IF;

  RETURN nullif(concat_ws(' and ', CASE WHEN pauses_user THEN 'user' END, CASE WHEN pauses_app THEN 'app' END), '');
END $$;
