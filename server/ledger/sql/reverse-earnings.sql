-- Reverses commission after a chargeback of credits that were already spent (`p_spent` from one pocket): the
-- commission earned on them that has not matured yet, oldest first. Each reversal is a separate transaction.
-- It names the purchase and, in its note, the transaction of the request.
CREATE OR REPLACE FUNCTION ledger_reverse_earnings(
  p_user text, p_partner text, p_session text, p_spent bigint, p_earnings_hold interval
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_spent <= 0 THEN RETURN; END IF;
  WITH earned AS (
    SELECT t.id, t.created_at, e.partner_id AS partner_id, e.amount AS share, -p.amount AS paid_here, -t.credits AS paid
    FROM ledger_transaction t
    JOIN ledger_entry p ON p.user_id = t.user_id AND p.transaction_id = t.id AND p.account = 'pocket' AND p.partner_id = p_partner
    JOIN ledger_entry e ON e.user_id = t.user_id AND e.transaction_id = t.id AND e.account = 'partner_earnings'
    WHERE t.user_id = p_user AND t.kind = 'usage' AND t.created_at > clock_timestamp() - p_earnings_hold
      AND NOT EXISTS (
        SELECT 1 FROM ledger_transaction r WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND r.note = t.id)
  ),
  reached AS (
    SELECT e.*, sum(e.paid_here) OVER (ORDER BY e.created_at, e.id) - e.paid_here AS before FROM earned e
  ),
  reversed AS (
    SELECT r.id, r.partner_id, 'txn_' || substr(md5(p_session || r.id), 1, 22) AS transaction_id,
           div(r.share::numeric * least(r.paid_here, p_spent - r.before), r.paid)::bigint AS amount
    FROM reached r WHERE r.before < p_spent
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, v.transaction_id, v.partner_id, 'earnings_reversal', p_session || ':' || v.id, p_session, 0, 0, v.id,
    ledger_postings('partner_earnings', v.partner_id, -v.amount, 'chargeback_loss')
  FROM reversed v WHERE v.amount > 0;
END $$;
