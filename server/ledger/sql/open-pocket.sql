-- Locks the wallet. First creates the wallet and the pockets that the other functions lock, unless they
-- exist. Returns the effective app user id: the existing one, or else the given one.
CREATE OR REPLACE FUNCTION ledger_open_user_app(p_user text, p_partner text, p_app_user text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  app_user text;
BEGIN
  INSERT INTO wallet (user_id) VALUES (p_user) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  INSERT INTO user_app (user_id, partner_id) VALUES (p_user, '') ON CONFLICT DO NOTHING;
  INSERT INTO user_app (user_id, partner_id, app_user_id) VALUES (p_user, p_partner, p_app_user)
    ON CONFLICT (user_id, partner_id) DO NOTHING;
  SELECT app_user_id INTO app_user FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  RETURN app_user;
END $$;
