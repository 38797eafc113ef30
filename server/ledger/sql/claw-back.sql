-- Takes back credits of a purchase for one reason, 'refund' or 'chargeback', until `p_cumulative` are taken
-- in total. Both reasons together never take more than the purchase. Only the difference is booked, so events
-- may arrive twice, late or in any order, and a smaller total returns credits. The pocket may go below zero:
-- it then cannot be spent from, and the next purchase repays it first.
CREATE OR REPLACE FUNCTION ledger_claw_back(
  p_user text, p_session text, p_reason text, p_cumulative bigint, p_transaction text, p_earnings_hold interval
) RETURNS TABLE (transaction_id text, balance bigint, credits bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  bought ledger_transaction;
  taken bigint;
  taken_otherwise bigint;
  change bigint;
  after bigint;
  steps integer;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT * INTO STRICT bought FROM ledger_transaction WHERE user_id = p_user AND kind = 'purchase' AND cause_id = p_session;
  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = bought.partner_id;
  SELECT coalesce(-sum(t.credits) FILTER (WHERE t.note = p_reason), 0),
         coalesce(-sum(t.credits) FILTER (WHERE t.note <> p_reason), 0), count(*)
    INTO taken, taken_otherwise, steps
    FROM ledger_transaction t WHERE t.user_id = p_user AND t.kind = 'refund' AND t.related_id = p_session;

  change := taken - greatest(0, least(p_cumulative, bought.credits - taken_otherwise));
  after := ledger_spendable(wallet_row.money + change, wallet_row.held, pocket.own + change, pocket.own_held, pocket.allowance_left);
  IF change = 0 THEN
    RETURN QUERY SELECT NULL::text, after, 0::bigint, true;
    RETURN;
  END IF;

  UPDATE wallet SET money = money + change WHERE user_id = p_user;
  UPDATE user_app SET own = own + change WHERE user_id = p_user AND partner_id = bought.partner_id;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
    VALUES (p_user, p_transaction, bought.partner_id, 'refund', p_session || ':' || (steps + 1), p_session, change, after, p_reason,
      ledger_postings('pocket', bought.partner_id, change, 'processor_clearing'));

  IF p_reason = 'chargeback' THEN
    IF change < 0 THEN
      PERFORM ledger_reverse_earnings(p_user, bought.partner_id, p_session,
        greatest(0, -(pocket.own + change)) - greatest(0, -pocket.own), p_earnings_hold);
    ELSIF taken = change THEN
      PERFORM ledger_restore_earnings(p_user, p_session);
    END IF;
  END IF;
  RETURN QUERY SELECT p_transaction, after, change, false;
END $$;
