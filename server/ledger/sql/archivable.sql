-- The receipts of a month that may be archived. Others stay, because something here still refers to them: a correction, a
-- reversal of their commission, or a payout that was computed before they were booked.
CREATE OR REPLACE FUNCTION ledger_archivable(p_since timestamptz, p_until timestamptz) RETURNS SETOF ledger_transaction
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT t.* FROM ledger_transaction t
  WHERE t.created_at >= p_since AND t.created_at < p_until AND t.kind = 'usage' AND t.model IS NOT NULL
    AND NOT EXISTS (
      SELECT 1 FROM ledger_transaction r WHERE r.user_id = t.user_id AND r.kind = 'earnings_reversal' AND r.cause_id = t.id || ':1')
    AND NOT EXISTS (SELECT 1 FROM correction c WHERE c.transaction_id = t.id)
    AND NOT EXISTS (
      SELECT 1 FROM payout_line l JOIN payout o ON o.id = l.payout_id
      WHERE l.partner_id = t.partner_id AND o.posted_until <= t.created_at
        AND l.matured_until > (t.created_at AT TIME ZONE 'UTC')::date)
$$;
