-- Reserves the bonus of a payment that begins, so that the buyer gets what the checkout shows. Locks the wallets of
-- the mailbox and then the promotion: redemptions of one promotion run one at a time, and no limit is passed. Returns
-- why not, or the bonus.
CREATE OR REPLACE FUNCTION promotion_reserve(p_session text, p_code text, p_now timestamptz)
RETURNS TABLE (refusal text, credits bigint)
LANGUAGE plpgsql AS $$
DECLARE
  payment checkout_session;
  offer promotion;
  bonus bigint;
  reason text;
BEGIN
  SELECT * INTO STRICT payment FROM checkout_session WHERE id = p_session;
  PERFORM 1 FROM wallet WHERE user_id IN (SELECT promotion_accounts(payment.user_id)) ORDER BY user_id FOR UPDATE;
  SELECT * INTO offer FROM promotion WHERE code = p_code FOR UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::bigint; RETURN; END IF;
  bonus := promotion_bonus(offer, payment.credits);
  reason := promotion_refusal(offer, payment.user_id, payment.partner_id, bonus, p_now);
  IF reason IS NULL THEN
    PERFORM promotion_take(offer.id, p_session, payment.user_id, payment.partner_id, bonus, p_now);
  END IF;
  RETURN QUERY SELECT reason, bonus;
END $$;
