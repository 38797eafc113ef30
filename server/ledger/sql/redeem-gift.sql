-- Redeems a gift link: checks, counts and books in one call. A repetition by the same user returns the first booking.
-- The pocket must exist. Returns why not, or the booking.
CREATE OR REPLACE FUNCTION promotion_redeem_gift(
  p_link bytea, p_user text, p_transaction text, p_earns boolean, p_now timestamptz, p_earnings_hold interval
) RETURNS TABLE (refusal text, credits bigint, transaction_id text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  offer promotion;
  redemption text;
  earlier promotion_redemption;
  reason text;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT p.* INTO offer FROM promotion p JOIN promotion_link l ON l.promotion_id = p.id
    WHERE l.code_hash = p_link FOR UPDATE OF p;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::bigint, NULL::text; RETURN; END IF;
  redemption := offer.id || ':' || left(encode(p_link, 'hex'), 32);
  SELECT * INTO earlier FROM promotion_redemption WHERE id = redemption;
  reason := CASE
    WHEN earlier.user_id <> p_user THEN 'exhausted'
    WHEN earlier.user_id IS NULL
      THEN promotion_refusal(offer, p_user, coalesce(offer.partner_id, ''), offer.credits, p_now) END;
  IF reason IS NOT NULL THEN RETURN QUERY SELECT reason, offer.credits, NULL::text; RETURN; END IF;
  IF earlier.user_id IS NULL THEN
    PERFORM promotion_take(offer.id, redemption, p_user, coalesce(offer.partner_id, ''), offer.credits, p_now);
  END IF;
  RETURN QUERY SELECT NULL::text, offer.credits, b.transaction_id
    FROM promotion_book(redemption, p_transaction, p_earns, p_now, p_earnings_hold) b;
END $$;
