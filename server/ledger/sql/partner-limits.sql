-- The limits of a partner for one of its users: those for this user, else those of the app, else the default for all
-- apps; and the ceiling, whatever the others are.
CREATE OR REPLACE FUNCTION ledger_partner_limits(p_partner text, p_app_user text) RETURNS SETOF partner_limit
LANGUAGE sql STABLE AS $$
  (SELECT * FROM partner_limit l
   WHERE l.partner_id IN (p_partner, '') AND l.app_user_id IN (p_app_user, '') AND NOT l.ceiling
   ORDER BY l.app_user_id DESC, l.partner_id DESC LIMIT 1)
  UNION ALL
  SELECT * FROM partner_limit l WHERE l.partner_id = p_partner AND l.app_user_id = '' AND l.ceiling
$$;
