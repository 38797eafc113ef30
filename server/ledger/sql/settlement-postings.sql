-- The postings of a settled request. `p_drawn` are those of other pockets (draw.sql). Granted credits earn no
-- commission: their part of the partner's share returns to where they came from. Not inlined: it would enlarge
-- the plan of every batch.
CREATE OR REPLACE FUNCTION ledger_settlement_postings(
  p_partner text, p_own_take bigint, p_own_granted bigint, p_drawn jsonb, p_cost bigint, p_share bigint
) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  take bigint;
  granted bigint;
  withheld bigint;
BEGIN
  SELECT p_own_take - coalesce(sum(p.amount), 0), p_own_granted - coalesce(sum(p.granted), 0) INTO take, granted
    FROM jsonb_to_recordset(coalesce(p_drawn, '[]')) AS p (amount bigint, granted bigint);
  withheld := ledger_part(p_share, granted, take);
  RETURN ledger_pocket_posting(p_partner, -p_own_take, -p_own_granted) || ledger_posting('provider_cost', '', p_cost)
    || ledger_posting('partner_earnings', p_partner, p_share - withheld) || ledger_posting('promotion_expense', '', withheld)
    || ledger_posting('overrun_loss', '', take - p_cost - p_share) || coalesce(p_drawn, '[]');
END $$;
