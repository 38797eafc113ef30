-- Restores the earnings that reverse-earnings.sql reversed for a purchase, once the dispute is won.
CREATE OR REPLACE FUNCTION ledger_restore_earnings(p_user text, p_session text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH reversed AS (
    SELECT e.partner_id AS partner_id, 'txn_' || substr(md5(p_session || ':restored:' || r.id), 1, 22) AS transaction_id,
           r.id, -e.amount AS amount
    FROM ledger_transaction r
    JOIN ledger_entry e ON e.user_id = r.user_id AND e.transaction_id = r.id AND e.account = 'partner_earnings'
    WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND r.related_id = p_session AND e.amount < 0
      AND NOT EXISTS (
        SELECT 1 FROM ledger_transaction b WHERE b.user_id = p_user AND b.kind = 'earnings_reversal' AND b.cause_id = r.id)
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, v.transaction_id, v.partner_id, 'earnings_reversal', v.id, p_session, 0, 0, 'restored',
    ledger_postings('partner_earnings', v.partner_id, v.amount, 'chargeback_loss')
  FROM reversed v;
END $$;
