-- The postings of commission, one per row. What is reversed, restored or corrected is dated by the request it concerns, and has
-- its model. That request is read only for a reader that names one of the two columns.
CREATE OR REPLACE VIEW ledger_earning AS
  SELECT p.partner_id, p.amount, t.created_at AS posted_at,
    CASE t.kind WHEN 'usage' THEN 'earned' ELSE 'reversed' END AS kind,
    ((CASE t.kind WHEN 'usage' THEN t.created_at ELSE (
      SELECT r.created_at FROM ledger_transaction r WHERE r.id = t.note) END)
      AT TIME ZONE 'UTC')::date AS day,
    coalesce(CASE t.kind WHEN 'usage' THEN t.model ELSE (
      SELECT r.model FROM ledger_transaction r WHERE r.id = t.note) END, '') AS model
  FROM ledger_transaction t
  CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p
  WHERE t.kind IN ('usage', 'earnings_reversal', 'correction') AND p.account = 'partner_earnings';
