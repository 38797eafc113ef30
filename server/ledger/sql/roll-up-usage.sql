-- Adds new receipts to the daily sums (UTC). Receipts younger than `p_lag` may belong to a transaction that
-- is still running: they are added later, and readers include them. A call adds at most about 20,000 receipts, so that
-- it is short, and returns true if there is more to add; it returns immediately if another instance is running this.
-- The planner has no statistics about the watermark, so the settings make it use the index on time.
CREATE OR REPLACE FUNCTION ledger_roll_up_usage(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'usage' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);
  WITH fresh AS (
    SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, partner_id, model, count(*) AS requests,
           sum(input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens + output_tokens) AS tokens,
           sum(charge) AS charge
    FROM usage WHERE created_at >= begun AND created_at < upto
    GROUP BY 1, 2, 3, 4
  )
  INSERT INTO usage_day AS d (user_id, day, partner_id, model, requests, tokens, charge) SELECT * FROM fresh
  ON CONFLICT (user_id, day, partner_id, model) DO UPDATE SET
    requests = d.requests + excluded.requests, tokens = d.tokens + excluded.tokens, charge = d.charge + excluded.charge;
  UPDATE watermark SET up_to = upto WHERE name = 'usage';
  RETURN upto < newest;
END $$;
