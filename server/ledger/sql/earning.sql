-- The postings of commission, one per row. What is reversed or restored is dated by the request it concerns. The
-- model comes from the receipt, which is read only for a reader that names the column.
CREATE OR REPLACE VIEW ledger_earning AS
  SELECT p.partner_id, p.amount, t.created_at AS posted_at,
    CASE t.kind WHEN 'usage' THEN 'earned' ELSE 'reversed' END AS kind,
    ((CASE t.kind WHEN 'usage' THEN t.created_at ELSE (
      SELECT r.created_at FROM ledger_transaction r WHERE r.user_id = t.user_id AND r.id = t.note) END)
      AT TIME ZONE 'UTC')::date AS day,
    coalesce(u.model, '') AS model
  FROM ledger_transaction t
  CROSS JOIN LATERAL jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint)
  LEFT JOIN usage u ON u.user_id = t.user_id
    AND u.request_id = 'req_' || substr(CASE t.kind WHEN 'usage' THEN t.id ELSE t.note END, 5)
  WHERE t.kind IN ('usage', 'earnings_reversal') AND p.account = 'partner_earnings';
