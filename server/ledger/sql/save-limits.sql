-- Saves the limits of a user for one app, or for all apps (p_partner ''), and the time zone of all their limits. Nulls
-- remove a limit. A new limit counts what was spent in its period before; sums that are kept already continue, so
-- that neither another limit nor another time zone resets them. A time zone takes effect when the running periods
-- end. False if the user does not use the app.
CREATE OR REPLACE FUNCTION ledger_save_limits(
  p_user text, p_partner text, p_zone text, p_request bigint, p_day bigint, p_week bigint, p_month bigint,
  p_model_rule text, p_models text[]
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  now_at timestamptz;
  day_starts timestamptz;
  week_starts timestamptz;
  month_starts timestamptz;
  spent record;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  IF p_partner <> '' AND NOT EXISTS (SELECT FROM user_app WHERE user_id = p_user AND partner_id = p_partner) THEN
    RETURN false;
  END IF;
  UPDATE wallet SET limits_zone = p_zone WHERE user_id = p_user;
  IF NOT EXISTS (
    SELECT FROM spending_limit l WHERE l.user_id = p_user AND l.partner_id = p_partner
      AND coalesce(l.per_day, l.per_week, l.per_month) IS NOT NULL
  ) THEN
    now_at := ledger_clock();
    day_starts := ledger_period_start('day', p_zone, now_at);
    week_starts := ledger_period_start('week', p_zone, now_at);
    month_starts := ledger_period_start('month', p_zone, now_at);
    SELECT coalesce(sum(t.spent) FILTER (WHERE t.created_at >= day_starts), 0) AS day,
           coalesce(sum(t.spent) FILTER (WHERE t.created_at >= week_starts), 0) AS week,
           coalesce(sum(t.spent) FILTER (WHERE t.created_at >= month_starts), 0) AS month
      INTO spent
      FROM user_app u CROSS JOIN LATERAL (
        SELECT t.created_at, -t.credits AS spent FROM ledger_transaction t
        WHERE t.user_id = u.user_id AND t.partner_id = u.partner_id AND t.kind = 'usage'
          AND t.created_at >= least(week_starts, month_starts)
          AND ledger_slot(t.created_at) >= ledger_slot(least(week_starts, month_starts))) t
      WHERE u.user_id = p_user AND p_partner IN ('', u.partner_id);
    INSERT INTO spending_limit (user_id, partner_id, day_spent, day_starts, day_ends, week_spent, week_starts, week_ends,
        month_spent, month_starts, month_ends)
      VALUES (p_user, p_partner, spent.day, day_starts, ledger_period_end('day', p_zone, now_at),
        spent.week, week_starts, ledger_period_end('week', p_zone, now_at),
        spent.month, month_starts, ledger_period_end('month', p_zone, now_at))
      ON CONFLICT (user_id, partner_id) DO UPDATE SET
        day_spent = excluded.day_spent, day_starts = excluded.day_starts, day_ends = excluded.day_ends,
        week_spent = excluded.week_spent, week_starts = excluded.week_starts, week_ends = excluded.week_ends,
        month_spent = excluded.month_spent, month_starts = excluded.month_starts, month_ends = excluded.month_ends;
  END IF;
  UPDATE spending_limit SET per_request = p_request, per_day = p_day, per_week = p_week, per_month = p_month,
      model_rule = p_model_rule, models = CASE WHEN p_model_rule IS NULL THEN '{}' ELSE p_models END
    WHERE user_id = p_user AND partner_id = p_partner;
  PERFORM ledger_forget_limits(p_user, p_partner);
  RETURN true;
END $$;
