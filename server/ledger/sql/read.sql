-- Returns a partner's balance for a user and whether `p_need` could be spent, with the same rules as for a
-- request.
CREATE OR REPLACE FUNCTION ledger_read(p_user text, p_partner text, p_need bigint)
RETURNS TABLE (balance bigint, status text, money bigint, held bigint, allowance_saved bigint, allowance_left bigint)
LANGUAGE sql STABLE AS $$
  SELECT spendable, ledger_status(coalesce(a.paused_at, p.paused_at) IS NOT NULL, spendable, ledger_idle(u, a.money), a.money, u.allowance_saved, p_need),
         a.money, a.held, u.allowance_saved, u.allowance_left
  FROM wallet a
  JOIN user_app u ON u.user_id = a.user_id AND u.partner_id = p_partner
  -- Credits outside any app have no partner.
  LEFT JOIN partner p ON p.id = p_partner
  CROSS JOIN LATERAL (SELECT ledger_spendable(a.money, a.held, u.own, u.own_held, u.allowance_left)) AS s (spendable)
  WHERE a.user_id = p_user
$$;
