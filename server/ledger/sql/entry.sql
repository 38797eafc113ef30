-- The postings of all transactions, one per row, as an accountant reads them.
CREATE OR REPLACE VIEW ledger_entry AS
  SELECT t.user_id, t.id AS transaction_id, p.account, p.partner_id, p.amount, t.created_at
  FROM ledger_transaction t
  CROSS JOIN LATERAL jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint);
