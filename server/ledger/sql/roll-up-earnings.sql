-- Adds new earnings to the hourly sums. Postings younger than `p_lag` may belong to a transaction that is
-- still running: they are added later, and readers include them. Returns the number of postings added.
CREATE OR REPLACE FUNCTION ledger_roll_up(p_lag interval) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  begun timestamptz;
  upto timestamptz := clock_timestamp() - p_lag;
  added_count bigint;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'earnings' FOR UPDATE;
  IF upto <= begun THEN RETURN 0; END IF;
  WITH fresh AS (
    SELECT partner_id, date_trunc('hour', created_at) AS hour, sum(amount) AS earned, count(*) AS entries
    FROM ledger_entry WHERE account = 'partner_earnings' AND created_at >= begun AND created_at < upto
    GROUP BY 1, 2
  ), added AS (
    INSERT INTO earnings_rollup (partner_id, hour, earned) SELECT partner_id, hour, earned FROM fresh
    ON CONFLICT (partner_id, hour) DO UPDATE SET earned = earnings_rollup.earned + excluded.earned
  )
  SELECT coalesce(sum(entries), 0) INTO added_count FROM fresh;
  UPDATE watermark SET up_to = upto WHERE name = 'earnings';
  RETURN added_count;
END $$;
