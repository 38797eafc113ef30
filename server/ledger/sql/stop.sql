-- Stops one app of a user, or all apps (p_partner ''): admission refuses their requests until the user resumes them.
-- False if they were stopped before, or if the user does not use the app.
CREATE OR REPLACE FUNCTION ledger_stop(p_user text, p_partner text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  zone text;
  now_at timestamptz;
BEGIN
  SELECT coalesce(a.limits_zone, 'UTC') INTO zone FROM wallet a WHERE a.user_id = p_user FOR UPDATE;
  IF zone IS NULL OR p_partner <> '' AND NOT EXISTS (
    SELECT FROM user_app WHERE user_id = p_user AND partner_id = p_partner) THEN
    RETURN false;
  END IF;
  now_at := ledger_clock();
  UPDATE wallet SET limits_zone = zone WHERE user_id = p_user;
  -- It counts from now on, as nothing is limited; a limit that is saved later adds up its periods.
  INSERT INTO spending_limit AS l (user_id, partner_id, stopped_at, day_starts, day_ends, week_starts, week_ends,
      month_starts, month_ends)
    VALUES (p_user, p_partner, now_at, now_at, ledger_period_end('day', zone, now_at), now_at,
      ledger_period_end('week', zone, now_at), now_at, ledger_period_end('month', zone, now_at))
    ON CONFLICT (user_id, partner_id) DO UPDATE SET stopped_at = now_at WHERE l.stopped_at IS NULL;
  RETURN FOUND;
END $$;
