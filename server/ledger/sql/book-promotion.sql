-- Books the credits of a redemption, once. They earn no commission unless `p_earns` is true. Returns nothing if there
-- is no such redemption, as for a purchase without a promotion.
CREATE OR REPLACE FUNCTION promotion_book(
  p_redemption text, p_transaction text, p_earns boolean, p_now timestamptz, p_earnings_hold interval
) RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
DECLARE
  redemption promotion_redemption;
BEGIN
  SELECT * INTO redemption FROM promotion_redemption WHERE id = p_redemption;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM ledger_deposit(redemption.user_id, redemption.partner_id, 'promotion', p_redemption,
    p_transaction, redemption.credits, CASE WHEN p_earns THEN 0 ELSE redemption.credits END, 'promotion_expense', NULL,
    p_earnings_hold);
  UPDATE promotion_redemption SET booked_at = p_now WHERE id = p_redemption AND booked_at IS NULL;
END $$;
