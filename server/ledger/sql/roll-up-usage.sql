-- Adds new receipts to the daily sums (UTC). Receipts younger than `p_lag` may belong to a transaction that
-- is still running: they are added later, and readers include them. Returns the number of receipts added, or
-- returns immediately if another instance is running this. The planner has no statistics about the watermark,
-- so the settings make it use the index on time.
CREATE OR REPLACE FUNCTION ledger_roll_up_usage(p_lag interval) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  upto timestamptz := clock_timestamp() - p_lag;
  added_count bigint;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'usage' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR upto <= begun THEN RETURN 0; END IF;
  WITH fresh AS (
    SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, partner_id, model, count(*) AS requests,
           sum(input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens + output_tokens) AS tokens,
           sum(charge) AS charge
    FROM usage WHERE created_at >= begun AND created_at < upto
    GROUP BY 1, 2, 3, 4
  ), added AS (
    INSERT INTO usage_day AS d (user_id, day, partner_id, model, requests, tokens, charge) SELECT * FROM fresh
    ON CONFLICT (user_id, day, partner_id, model) DO UPDATE SET
      requests = d.requests + excluded.requests, tokens = d.tokens + excluded.tokens, charge = d.charge + excluded.charge
  )
  SELECT coalesce(sum(requests), 0) INTO added_count FROM fresh;
  UPDATE watermark SET up_to = upto WHERE name = 'usage';
  RETURN added_count;
END $$;
