-- What limits leave an app: the user's own for the app and for all apps, unless `p_zone` is null, and those of the
-- partner if `p_by_partner`. `free` is the most that a request may hold now, and `per_request` the most that any may;
-- null if nothing limits it. `refusal` names a limit that the request would not fit even if none of the user's requests
-- were running, and `resets_at` is when its period ends. Of several, the one that lasts longest, and rather one that the user
-- cannot raise. `p_cost` is the least that the request costs and `p_need` the least that must be free; `p_held` is what all requests of the
-- user hold. The hold `p_without` counts no longer. The caller has locked the wallet.
CREATE OR REPLACE FUNCTION ledger_limits(
  p_user text, p_partner text, p_zone text, p_by_partner boolean, p_model text, p_cost bigint, p_need bigint, p_held bigint,
  p_without text
) RETURNS TABLE (free bigint, per_request bigint, refusal text, resets_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  now_at CONSTANT timestamptz := ledger_clock();
  today CONSTANT date := timezone('UTC', now_at)::date;
  rule record;
BEGIN
  FOR rule IN
    SELECT r.kind, r.reached, r.free, r.ends, l.scope
    FROM (
      SELECT CASE WHEN l.partner_id = '' THEN 'all' ELSE 'app' END AS scope, l.stopped_at,
        l.model_rule, l.models, l.per_request, l.per_month, l.per_week, l.per_day,
        CASE WHEN now_at < l.month_ends THEN l.month_spent ELSE 0 END AS month_spent,
        CASE WHEN now_at < l.week_ends THEN l.week_spent ELSE 0 END AS week_spent,
        CASE WHEN now_at < l.day_ends THEN l.day_spent ELSE 0 END AS day_spent,
        l.month_ends, l.week_ends, l.day_ends
      FROM spending_limit l WHERE p_zone IS NOT NULL AND l.user_id = p_user AND l.partner_id IN ('', p_partner)
      UNION ALL
      SELECT 'partner', NULL, l.model_rule, l.models, l.per_request, l.per_month, NULL, l.per_day,
        s.month, NULL, s.day, s.month_ends, NULL, s.day_ends
      FROM user_app u
      CROSS JOIN LATERAL ledger_partner_limits(p_partner, u.app_user_id) l
      CROSS JOIN LATERAL ledger_spent_in_app(u, today) s
      WHERE p_by_partner AND u.user_id = p_user AND u.partner_id = p_partner) l
    CROSS JOIN LATERAL (
      SELECT CASE WHEN l.scope = 'all' THEN p_held ELSE (
        SELECT coalesce(sum(h.amount), 0)::bigint FROM hold h
        WHERE h.user_id = p_user AND h.partner_id = p_partner AND h.request_id IS DISTINCT FROM p_without) END) AS h (held)
    CROSS JOIN LATERAL (VALUES
      (1, 'stop', l.stopped_at IS NOT NULL, NULL::bigint, NULL::timestamptz),
      (2, 'model', CASE l.model_rule WHEN 'only' THEN p_model <> ALL (l.models) WHEN 'except' THEN p_model = ANY (l.models) END, NULL, NULL),
      (3, 'request', p_cost > l.per_request, l.per_request, NULL),
      (4, 'month', p_need > l.per_month - l.month_spent, l.per_month - l.month_spent - h.held, l.month_ends),
      (5, 'week', p_need > l.per_week - l.week_spent, l.per_week - l.week_spent - h.held, l.week_ends),
      (6, 'day', p_need > l.per_day - l.day_spent, l.per_day - l.day_spent - h.held, l.day_ends)) AS r (rank, kind, reached, free, ends)
    ORDER BY r.rank, l.scope <> 'partner', l.scope
  LOOP
    IF rule.kind = 'request' THEN
      per_request := least(per_request, rule.free);
    ELSE
      free := least(free, rule.free);
    END IF;
    IF refusal IS NULL AND rule.reached THEN
      refusal := 'limit_' || rule.kind || '_' || rule.scope;
      resets_at := CASE WHEN now_at < rule.ends THEN rule.ends
        WHEN rule.ends IS NOT NULL THEN ledger_next_period_end(rule.kind, p_zone, rule.ends, now_at) END;
    END IF;
  END LOOP;
  RETURN NEXT;
END $$;
