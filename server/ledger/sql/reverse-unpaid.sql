-- Reverses the commission on the credits that a request took although they are no longer there (`p_unpaid`), like
-- any other (match-earnings.sql). Returns the outcome of the settlement.
CREATE OR REPLACE FUNCTION ledger_reverse_unpaid(
  p_user text, p_request text, p_partner text, p_own_take bigint, p_own_granted bigint, p_drawn jsonb, p_unpaid bigint, p_share bigint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  request CONSTANT text := 'txn_' || substr(p_request, 5);
  earned bigint;
  bought bigint;
  unearned bigint;
BEGIN
  SELECT coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0),
         coalesce(sum(coalesce(p.granted, 0) - p.amount) FILTER (WHERE p.account = 'pocket'), 0) INTO earned, bought
    FROM jsonb_to_recordset(ledger_settlement_postings(p_partner, p_own_take, p_own_granted, p_drawn, 0, p_share))
      AS p (account text, amount bigint, granted bigint);
  unearned := ledger_part(earned, p_unpaid, bought);
  IF unearned > 0 THEN
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, note, postings)
      VALUES (p_user, 'txn_' || substr(md5(request || ':1'), 1, 22), p_partner, 'earnings_reversal', request || ':1', 0, 0, request,
        ledger_postings('partner_earnings', p_partner, -unearned, 'chargeback_loss'));
  END IF;
  RETURN 'settled';
END $$;
