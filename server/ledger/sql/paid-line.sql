-- The lines of the payouts that count: one that failed or was returned does not, and the next one lists its
-- requests again.
CREATE OR REPLACE VIEW ledger_paid_line AS
  SELECT l.* FROM payout_line l JOIN payout o ON o.id = l.payout_id WHERE o.state NOT IN ('returned', 'failed');
