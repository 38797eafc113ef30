-- Adds new receipts to the sums by day (UTC). Receipts younger than `p_lag` may belong to a transaction that
-- still runs, so they wait, and readers add them. If another instance is at it, returns at once. Returns how
-- many receipts were added. No statistics know the watermark, so the planner is made to use the index on time.
CREATE OR REPLACE FUNCTION ledger_roll_up_usage(p_lag interval) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  upto timestamptz := clock_timestamp() - p_lag;
  folded bigint;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'usage' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR upto <= begun THEN RETURN 0; END IF;
  WITH fresh AS (
    SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, partner_id, model, count(*) AS requests,
           sum(input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens + output_tokens) AS tokens,
           sum(charge) AS charge
    FROM usage WHERE created_at >= begun AND created_at < upto
    GROUP BY 1, 2, 3, 4
  ), folding AS (
    INSERT INTO usage_day AS d (user_id, day, partner_id, model, requests, tokens, charge) SELECT * FROM fresh
    ON CONFLICT (user_id, day, partner_id, model) DO UPDATE SET
      requests = d.requests + excluded.requests, tokens = d.tokens + excluded.tokens, charge = d.charge + excluded.charge
  )
  SELECT coalesce(sum(requests), 0) INTO folded FROM fresh;
  UPDATE watermark SET up_to = upto WHERE name = 'usage';
  RETURN folded;
END $$;
