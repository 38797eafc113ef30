-- The reason why a user cannot redeem a promotion now in a pocket; null if they can. Exact only for a caller that
-- locked the wallets of the mailbox and then the promotion.
CREATE OR REPLACE FUNCTION promotion_refusal(
  p_promotion promotion, p_user text, p_partner text, p_bonus bigint, p_now timestamptz
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p_promotion.disabled_at IS NOT NULL OR p_promotion.valid_until <= p_now THEN 'ended'
    WHEN p_promotion.valid_from > p_now THEN 'not_started'
    WHEN p_promotion.partner_id <> p_partner THEN 'other_app'
    WHEN (SELECT count(*) FROM promotion_redemption r
          WHERE r.promotion_id = p_promotion.id AND r.user_id IN (SELECT promotion_accounts(p_user)))
         >= p_promotion.max_per_user THEN 'used'
    -- A payment in progress with another such code counts, or two would be promised their bonus.
    WHEN p_promotion.is_first_purchase AND (
      EXISTS (SELECT 1 FROM purchase b WHERE b.user_id IN (SELECT promotion_accounts(p_user)))
      OR EXISTS (SELECT 1 FROM promotion_redemption r JOIN promotion o ON o.id = r.promotion_id
                 WHERE r.user_id IN (SELECT promotion_accounts(p_user)) AND o.kind = 'purchase' AND o.is_first_purchase))
      THEN 'not_first_purchase'
    WHEN p_promotion.redeemed >= p_promotion.max_redemptions OR p_promotion.given + p_bonus > p_promotion.budget
      THEN 'exhausted'
    WHEN p_bonus <= 0 THEN 'too_small'
  END
$$;
