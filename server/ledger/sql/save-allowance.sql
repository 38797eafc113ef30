-- Saves the allowance: how much a partner may spend of the user's other credits. A save replaces the current
-- allowance, discards a paused one and starts a new epoch, so that older holds return nothing to it. Null
-- removes the allowance. The same save is booked only once.
CREATE OR REPLACE FUNCTION ledger_save_allowance(p_user text, p_partner text, p_allowance bigint, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
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
    WHERE t.user_id = p_user AND t.kind = 'permission' AND t.cause_id = p_save;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  before := ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, pocket.allowance_left);
  after := ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, coalesce(p_allowance, 0));

  UPDATE user_app SET allowance_left = coalesce(p_allowance, 0), allowance_saved = p_allowance, allowance_paused = NULL, epoch = epoch + 1
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, credits_added, allowance_saved)
    VALUES (p_user, p_transaction, p_partner, 'permission', p_save, 0, after, greatest(0, after - before), coalesce(p_allowance, 0));
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;
