-- Ends the preparation of a batch: computes what each user gets back, less what was proposed or paid for the same request
-- before, and drops the rest. Proposals are closed one after the other, and before or after a month is removed to an archive
-- (the watermark is written for this), so that no request is corrected twice and each receipt stays.
CREATE OR REPLACE FUNCTION ledger_close_proposal(p_batch text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  archived_until timestamptz;
BEGIN
  UPDATE watermark SET up_to = up_to WHERE name = 'archive' RETURNING up_to INTO archived_until;
  WITH known AS (
    SELECT c.transaction_id, -t.credits AS charge, t.provider_cost, coalesce(e.credits, 0)::bigint AS earlier,
           coalesce(e.cost, 0)::bigint AS earlier_cost
    FROM correction c
    JOIN ledger_transaction t ON t.id = c.transaction_id AND t.user_id = c.user_id AND t.kind = 'usage'
      AND t.created_at >= archived_until
    LEFT JOIN LATERAL (
      SELECT sum(o.credits) AS credits, sum(o.cost) AS cost
      FROM correction o JOIN correction_batch b ON b.id = o.batch_id
      WHERE o.transaction_id = c.transaction_id AND b.state IN ('proposed', 'approved', 'booked')) e ON true
    WHERE c.batch_id = p_batch
  )
  UPDATE correction c SET charged = k.charge - k.earlier, credits = k.charge - k.earlier - c.due,
    cost = greatest(0, k.provider_cost - k.earlier_cost - c.due_cost)
  FROM known k WHERE c.batch_id = p_batch AND c.transaction_id = k.transaction_id;
  DELETE FROM correction WHERE batch_id = p_batch AND (credits IS NULL OR credits <= 0);

  UPDATE correction_batch b SET state = 'proposed', requests = s.requests, users = s.users, credits = s.credits
  FROM (SELECT count(*)::int AS requests, count(DISTINCT user_id)::int AS users, coalesce(sum(credits), 0)::bigint AS credits
        FROM correction WHERE batch_id = p_batch) s
  WHERE b.id = p_batch AND b.state = 'preparing' AND s.requests > 0;
  DELETE FROM correction_batch WHERE id = p_batch AND state = 'preparing';
END $$;
