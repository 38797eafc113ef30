-- Returns a partner's balance for a user and whether `p_need` could be spent, with the same rules as for a
-- request. `limited_by` is the scope of a limit that prevents it: app or all for one of the user, or a stop; partner.
CREATE OR REPLACE FUNCTION ledger_read(p_user text, p_partner text, p_need bigint)
RETURNS TABLE (balance bigint, status text, limited_by text, money bigint, held bigint, allowance_saved bigint, allowance_left bigint)
LANGUAGE sql STABLE AS $$
  SELECT greatest(0, spendable),
         CASE WHEN NOT paused AND l.refusal IS NOT NULL THEN 'partner_limit_reached'
           ELSE ledger_status(paused, spendable, ledger_idle(u, a.money), a.money, u.allowance_saved, p_need) END,
         CASE WHEN NOT paused THEN split_part(l.refusal, '_', 3) END,
         a.money, a.held, u.allowance_saved, u.allowance_left
  FROM wallet a
  JOIN user_app u ON u.user_id = a.user_id AND u.partner_id = p_partner
  -- Credits outside any app have no partner.
  LEFT JOIN partner p ON p.id = p_partner
  LEFT JOIN LATERAL (
    SELECT l.free, l.refusal FROM 
      ledger_limits(p_user, p_partner, a.limits_zone, p.limits_users IS TRUE, NULL, NULL, p_need, a.held, NULL) l
    WHERE a.limits_zone IS NOT NULL OR p.limits_users) l ON true
  CROSS JOIN LATERAL (SELECT
    CASE WHEN l.refusal = ANY ('{limit_stop_app,limit_stop_all}') THEN 0
      ELSE least(ledger_spendable(a.money, a.held, u.own, u.own_held, u.allowance_left), l.free) END,
    coalesce(a.paused_at, p.paused_at) IS NOT NULL) AS s (spendable, paused)
  WHERE a.user_id = p_user
$$;
