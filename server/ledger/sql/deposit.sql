-- Books a purchase or a grant: adds credits to a partner's pocket, against the account `p_against`. `p_granted`
-- of them earn no commission. The same cause is booked only once; a repetition returns the first booking.
CREATE OR REPLACE FUNCTION ledger_deposit(
  p_user text, p_partner text, p_kind text, p_cause text, p_transaction text,
  p_credits bigint, p_granted bigint, p_against text, p_note text, p_earnings_hold interval
) RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  before bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  RETURN QUERY SELECT t.id, t.balance_after, t.credits_added, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = p_kind AND t.cause_id = p_cause;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  before := ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, pocket.allowance_left);
  after := ledger_spendable(wallet_row.money + p_credits, wallet_row.held, pocket.own + p_credits, pocket.own_held, pocket.allowance_left);

  UPDATE wallet SET money = money + p_credits WHERE user_id = p_user;
  UPDATE user_app SET own = own + p_credits, own_granted = own_granted + p_granted
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, credits_added, note, postings)
    VALUES (p_user, p_transaction, p_partner, p_kind, p_cause, p_credits, after, greatest(0, after - before), p_note,
      ledger_pocket_posting(p_partner, p_credits, p_granted) || ledger_posting(p_against, '', -p_credits));
  -- The credits first repay what the pocket owes, and with it the commission that was reversed.
  IF pocket.own < pocket.own_granted AND p_granted < p_credits THEN
    PERFORM ledger_match_earnings(p_user, p_cause, p_earnings_hold);
  END IF;
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;
