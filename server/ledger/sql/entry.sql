-- The postings of all transactions, one per row, as an accountant reads them.
CREATE OR REPLACE VIEW ledger_entry AS
  SELECT t.user_id, t.id AS transaction_id, p.account, p.partner_id, p.amount, p.granted, t.created_at
  FROM ledger_transaction t CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p;
