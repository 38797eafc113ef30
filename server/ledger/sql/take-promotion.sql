-- Writes a redemption that is not booked yet, and counts it.
CREATE OR REPLACE FUNCTION promotion_take(
  p_promotion text, p_redemption text, p_user text, p_partner text, p_credits bigint, p_now timestamptz
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO promotion_redemption (id, promotion_id, user_id, partner_id, credits, created_at)
    VALUES (p_redemption, p_promotion, p_user, p_partner, p_credits, p_now);
  UPDATE promotion SET redeemed = redeemed + 1, given = given + p_credits WHERE id = p_promotion
$$;
