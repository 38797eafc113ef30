-- Makes the hold of a running request again, after another instance took this one for dead and released it. The hold is
-- at most what the app can still spend. Returns its amount; null if nothing is left, or the request is already booked.
CREATE OR REPLACE FUNCTION ledger_remake_hold(
  p_user text, p_request text, p_partner text, p_key text, p_amount bigint, p_rate_bp integer, p_lease interval
) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  made hold;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until)
  SELECT p_user, p_request, p_partner, p_key, s.amount, least(s.amount, s.own_free), s.epoch, p_rate_bp, clock_timestamp() + p_lease
  FROM (
    SELECT u.epoch, greatest(0, u.own - u.own_held) AS own_free,
      least(p_amount, ledger_spendable(w.money, w.held, u.own, u.own_held, u.allowance_left)) AS amount
    FROM wallet w JOIN user_app u ON u.user_id = w.user_id WHERE w.user_id = p_user AND u.partner_id = p_partner
  ) s
  WHERE s.amount > 0 AND NOT EXISTS (
    SELECT 1 FROM ledger_transaction t WHERE t.user_id = p_user AND t.id = 'txn_' || substr(p_request, 5))
  ON CONFLICT DO NOTHING
  RETURNING * INTO made;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE wallet SET held = held + made.amount, running = running + 1 WHERE user_id = p_user;
  UPDATE user_app SET own_held = own_held + made.own_part, allowance_left = allowance_left - (made.amount - made.own_part)
  WHERE user_id = p_user AND partner_id = p_partner;
  RETURN made.amount;
END $$;
