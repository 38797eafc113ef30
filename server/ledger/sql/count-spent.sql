-- Counts what a request spent in the running day, week and month of the user's own limits, and returns what all limits
-- leave the app. Nothing lowers a sum before its period ends. It is booked at `p_at`. The caller has locked the wallet, and
-- has counted for the partner's limits in `user_app`.
CREATE OR REPLACE FUNCTION ledger_count_spent(
  p_user text, p_partner text, p_zone text, p_by_partner boolean, p_at timestamptz, p_spent bigint, p_held bigint,
  p_without text
) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  IF p_zone IS NOT NULL AND p_spent > 0 THEN
    UPDATE spending_limit l SET
      day_spent = p_spent + CASE WHEN p_at < l.day_ends THEN l.day_spent ELSE 0 END,
      day_starts = CASE WHEN p_at < l.day_ends THEN l.day_starts ELSE l.day_ends END,
      day_ends = CASE WHEN p_at < l.day_ends THEN l.day_ends ELSE ledger_next_period_end('day', p_zone, l.day_ends, p_at) END,
      week_spent = p_spent + CASE WHEN p_at < l.week_ends THEN l.week_spent ELSE 0 END,
      week_starts = CASE WHEN p_at < l.week_ends THEN l.week_starts ELSE l.week_ends END,
      week_ends = CASE WHEN p_at < l.week_ends THEN l.week_ends ELSE ledger_next_period_end('week', p_zone, l.week_ends, p_at) END,
      month_spent = p_spent + CASE WHEN p_at < l.month_ends THEN l.month_spent ELSE 0 END,
      month_starts = CASE WHEN p_at < l.month_ends THEN l.month_starts ELSE l.month_ends END,
      month_ends = CASE WHEN p_at < l.month_ends THEN l.month_ends ELSE ledger_next_period_end('month', p_zone, l.month_ends, p_at) END
    WHERE l.user_id = p_user AND l.partner_id IN ('', p_partner);
  END IF;
  RETURN (SELECT l.free FROM ledger_limits(p_user, p_partner, p_zone, p_by_partner, NULL, NULL, 0, p_held, p_without) l);
END $$;
