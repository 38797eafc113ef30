-- Takes back the credits of a purchase until `p_refunded` are taken for refunds and `p_disputed` for disputes, in
-- total and together never more than the purchase. Only the differences are booked, so events may arrive
-- twice, late or in any order, and a smaller total returns credits. What is returned is booked first. The pocket
-- may go below zero: it then cannot be spent from, and the next purchase repays it first. Commission that was
-- earned on credits now missing is reversed.
--
-- The bonus credits of the purchase are taken back in the same proportion, rounded down, spent or not. They stay
-- granted credits: own_granted may go below zero, and commission on bought credits does not depend on them.
CREATE OR REPLACE FUNCTION ledger_claw_back(
  p_user text, p_session text, p_refunded bigint, p_disputed bigint,
  p_refund_transaction text, p_dispute_transaction text, p_earnings_hold interval
) RETURNS TABLE (balance bigint, credits bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  bought ledger_transaction;
  refunded_before bigint;
  disputed_before bigint;
  refunded bigint;
  disputed bigint;
  steps integer;
  change record;
  total bigint := 0;
  bonus ledger_transaction;
  bonus_granted bigint;
  bonus_change bigint := 0;
  bonus_steps integer;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT * INTO STRICT bought FROM ledger_transaction WHERE user_id = p_user AND kind = 'purchase' AND cause_id = p_session;
  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = bought.partner_id;
  SELECT coalesce(-sum(t.credits) FILTER (WHERE t.note = 'refund'), 0),
         coalesce(-sum(t.credits) FILTER (WHERE t.note = 'chargeback'), 0), count(*)
    INTO refunded_before, disputed_before, steps
    FROM ledger_transaction t WHERE t.user_id = p_user AND t.kind = 'refund' AND t.related_id = p_session;

  refunded := greatest(0, least(p_refunded, bought.credits));
  disputed := greatest(0, least(p_disputed, bought.credits - refunded));
  FOR change IN
    SELECT * FROM (VALUES
      ('refund', refunded_before - refunded, p_refund_transaction),
      ('chargeback', disputed_before - disputed, p_dispute_transaction)) AS c (reason, credits, transaction_id)
    WHERE c.credits <> 0 ORDER BY c.credits DESC
  LOOP
    total := total + change.credits;
    steps := steps + 1;
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
      VALUES (p_user, change.transaction_id, bought.partner_id, 'refund', p_session || ':' || steps, p_session, change.credits,
        ledger_spendable(wallet_row.money + total, wallet_row.held, pocket.own + total, pocket.own_held, pocket.allowance_left),
        change.reason, ledger_postings('pocket', bought.partner_id, change.credits, 'processor_clearing'));
  END LOOP;

  SELECT * INTO bonus FROM ledger_transaction WHERE user_id = p_user AND kind = 'promotion' AND cause_id = p_session;
  IF FOUND THEN
    SELECT -coalesce(sum(t.credits), 0), count(*) + 1 INTO bonus_change, bonus_steps
      FROM ledger_transaction t WHERE t.user_id = p_user AND t.kind = 'promotion' AND t.related_id = p_session;
    bonus_change := bonus_change - ledger_part(bonus.credits, refunded + disputed, bought.credits);
  END IF;
  IF bonus_change <> 0 THEN
    total := total + bonus_change;
    -- With GRANTS_EARN_COMMISSION, the bonus was booked like bought credits.
    bonus_granted := CASE WHEN bonus.postings -> 0 ? 'granted' THEN bonus_change ELSE 0 END;
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
      VALUES (p_user, 'txn_' || substr(md5(p_session || ':bonus:' || bonus_steps), 1, 22), bought.partner_id, 'promotion',
        p_session || ':' || bonus_steps, p_session, bonus_change,
        ledger_spendable(wallet_row.money + total, wallet_row.held, pocket.own + total, pocket.own_held, pocket.allowance_left),
        'refund', ledger_pocket_posting(bought.partner_id, bonus_change, bonus_granted)
          || ledger_posting('promotion_expense', '', -bonus_change));
  END IF;

  IF total <> 0 THEN
    UPDATE wallet SET money = money + total WHERE user_id = p_user;
    UPDATE user_app SET own = own + total, own_granted = own_granted + coalesce(bonus_granted, 0)
      WHERE user_id = p_user AND partner_id = bought.partner_id;
    PERFORM ledger_match_earnings(p_user, p_session, p_earnings_hold);
  END IF;
  RETURN QUERY SELECT
    ledger_spendable(wallet_row.money + total, wallet_row.held, pocket.own + total, pocket.own_held, pocket.allowance_left), total;
END $$;
