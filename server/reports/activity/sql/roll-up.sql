-- Adds new receipts since the watermark to the daily sums (UTC), at most about 20,000 transactions per call, so that
-- it is short. Receipts younger than `p_lag` may belong to a transaction that is still running, so they are added
-- later. Returns true if there is more to add. The planner has no statistics about the watermark, so the settings
-- make it use the indexes on time.
CREATE OR REPLACE FUNCTION activity_roll_up(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  -- One instance at a time; the others return immediately.
  SELECT up_to INTO begun FROM watermark WHERE name = 'activity' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);

  WITH fresh AS (
    SELECT partner_id, model, provider, (created_at AT TIME ZONE 'UTC')::date AS day,
           count(*) AS requests, count(*) FILTER (WHERE outcome <> 'completed') AS unfinished,
           sum(input_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens)::bigint AS input_tokens,
           sum(cache_read_tokens)::bigint AS cached_tokens, sum(output_tokens)::bigint AS output_tokens,
           sum(charge)::bigint AS charge, sum(provider_cost)::bigint AS provider_cost, sum(partner_share)::bigint AS partner_share
    FROM usage WHERE created_at >= begun AND created_at < upto
    GROUP BY 1, 2, 3, 4
  ), by_partner AS (
    INSERT INTO activity_partner_day AS a
    SELECT partner_id, day, model, provider, requests, unfinished, input_tokens, cached_tokens, output_tokens, charge,
           provider_cost, partner_share FROM fresh
    ON CONFLICT (partner_id, day, model, provider) DO UPDATE SET
      requests = a.requests + excluded.requests, unfinished = a.unfinished + excluded.unfinished,
      input_tokens = a.input_tokens + excluded.input_tokens, cached_tokens = a.cached_tokens + excluded.cached_tokens,
      output_tokens = a.output_tokens + excluded.output_tokens, charge = a.charge + excluded.charge,
      provider_cost = a.provider_cost + excluded.provider_cost, partner_share = a.partner_share + excluded.partner_share
  )
  INSERT INTO activity_money_day AS m
  SELECT (created_at AT TIME ZONE 'UTC')::date, partner_id, CASE kind WHEN 'refund' THEN note ELSE kind END, count(*), sum(credits)
  FROM ledger_transaction
  WHERE created_at >= begun AND created_at < upto AND kind IN ('purchase', 'refund', 'adjustment', 'promotion', 'correction')
  GROUP BY 1, 2, 3
  ON CONFLICT (day, partner_id, kind) DO UPDATE SET
    entries = m.entries + excluded.entries, credits = m.credits + excluded.credits;

  UPDATE watermark SET up_to = upto WHERE name = 'activity';
  RETURN upto < newest;
END $$;
