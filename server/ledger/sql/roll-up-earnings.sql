-- Adds new earnings to the sums: by the hour in which they were posted, and by day of the request and model,
-- from which payouts are computed. Postings younger than `p_lag` may belong to a transaction that is still
-- running: they are added later, and readers include them. A call adds at most about 20,000 transactions, so that it is
-- short, and returns true if there is more to add. The planner has no statistics about the watermark, so the settings
-- make it use the index on time and look up what was reversed.
CREATE OR REPLACE FUNCTION ledger_roll_up(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'earnings' FOR UPDATE;
  IF newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);
  WITH fresh AS MATERIALIZED (
    SELECT partner_id, date_trunc('hour', posted_at) AS hour, day, model, kind, sum(amount) AS earned, count(*) AS entries
    FROM ledger_earning WHERE posted_at >= begun AND posted_at < upto
    GROUP BY 1, 2, 3, 4, 5
  ), by_hour AS (
    INSERT INTO earnings_rollup (partner_id, hour, earned) SELECT partner_id, hour, sum(earned) FROM fresh GROUP BY 1, 2
    ON CONFLICT (partner_id, hour) DO UPDATE SET earned = earnings_rollup.earned + excluded.earned
  )
  INSERT INTO earnings_day AS d (partner_id, day, model, kind, requests, amount)
  SELECT partner_id, day, model, kind, sum(entries), sum(earned) FROM fresh GROUP BY 1, 2, 3, 4
  ON CONFLICT (partner_id, day, model, kind) DO UPDATE SET
    requests = d.requests + excluded.requests, amount = d.amount + excluded.amount;
  UPDATE watermark SET up_to = upto WHERE name = 'earnings';
  RETURN upto < newest;
END $$;
