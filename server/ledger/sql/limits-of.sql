-- The limits of a user with what is used of them; those for all apps first.
CREATE OR REPLACE FUNCTION ledger_limits_of(p_user text) RETURNS TABLE (
  zone text, partner_id text, per_request bigint, per_day bigint, per_week bigint, per_month bigint, model_rule text, models text[],
  is_stopped boolean, held bigint, day_spent bigint, day_ends timestamptz, week_spent bigint, week_ends timestamptz,
  month_spent bigint, month_ends timestamptz
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  now_at CONSTANT timestamptz := ledger_clock();
BEGIN
  RETURN QUERY
  SELECT a.limits_zone, l.partner_id, l.per_request, l.per_day, l.per_week, l.per_month, l.model_rule, l.models, l.stopped_at IS NOT NULL,
    CASE WHEN l.partner_id = '' THEN a.held ELSE (
      SELECT coalesce(sum(h.amount), 0)::bigint FROM hold h WHERE h.user_id = p_user AND h.partner_id = l.partner_id) END,
    CASE WHEN now_at < l.day_ends THEN l.day_spent ELSE 0 END,
    CASE WHEN now_at < l.day_ends THEN l.day_ends ELSE ledger_next_period_end('day', a.limits_zone, l.day_ends, now_at) END,
    CASE WHEN now_at < l.week_ends THEN l.week_spent ELSE 0 END,
    CASE WHEN now_at < l.week_ends THEN l.week_ends ELSE ledger_next_period_end('week', a.limits_zone, l.week_ends, now_at) END,
    CASE WHEN now_at < l.month_ends THEN l.month_spent ELSE 0 END,
    CASE WHEN now_at < l.month_ends THEN l.month_ends ELSE ledger_next_period_end('month', a.limits_zone, l.month_ends, now_at) END
  FROM wallet a JOIN spending_limit l ON l.user_id = a.user_id
  WHERE a.user_id = p_user ORDER BY l.partner_id;
END $$;
