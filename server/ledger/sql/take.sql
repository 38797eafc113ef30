-- Takes credits out of one pocket, granted ones first, but only what is free in it: credits that running
-- requests hold, or that other pockets owe, stay. If `p_credits` exceeds that, takes nothing and returns no transaction, only the
-- free amount. The same cause is booked only once; a repetition returns the first booking.
CREATE OR REPLACE FUNCTION ledger_take(p_user text, p_partner text, p_cause text, p_transaction text, p_credits bigint, p_note text)
RETURNS TABLE (transaction_id text, balance bigint, free bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  spare bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  spare := greatest(0, least(pocket.own - pocket.own_held, wallet_row.money - wallet_row.held));
  RETURN QUERY SELECT t.id, t.balance_after, spare, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = 'adjustment' AND t.cause_id = p_cause;
  IF FOUND THEN RETURN; END IF;

  IF p_credits <= 0 OR p_credits > spare THEN
    RETURN QUERY SELECT NULL::text,
      ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, pocket.allowance_left), spare, false;
    RETURN;
  END IF;
  after := ledger_spendable(wallet_row.money - p_credits, wallet_row.held, pocket.own - p_credits, pocket.own_held, pocket.allowance_left);
  UPDATE wallet SET money = money - p_credits WHERE user_id = p_user;
  UPDATE user_app SET own = own - p_credits, own_granted = own_granted - least(greatest(0, own_granted), p_credits)
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, note, postings)
    VALUES (p_user, p_transaction, p_partner, 'adjustment', p_cause, -p_credits, after, p_note,
      ledger_pocket_posting(p_partner, -p_credits, -least(greatest(0, pocket.own_granted), p_credits))
      || ledger_posting('promotion_expense', '', p_credits));
  RETURN QUERY SELECT p_transaction, after, spare - p_credits, false;
END $$;
