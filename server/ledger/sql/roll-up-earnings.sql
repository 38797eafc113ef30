-- Adds new earnings to the sums by hour. Postings younger than `p_lag` may belong to a transaction that still
-- runs, so they wait, and readers add them. Returns how many postings were added.
CREATE OR REPLACE FUNCTION ledger_roll_up(p_lag interval) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  begun timestamptz;
  upto timestamptz := clock_timestamp() - p_lag;
  folded bigint;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'earnings' FOR UPDATE;
  IF upto <= begun THEN RETURN 0; END IF;
  WITH fresh AS (
    SELECT partner_id, date_trunc('hour', created_at) AS hour, sum(amount) AS earned, count(*) AS entries
    FROM ledger_entry WHERE account = 'partner_earnings' AND created_at >= begun AND created_at < upto
    GROUP BY 1, 2
  ), folding AS (
    INSERT INTO earnings_rollup (partner_id, hour, earned) SELECT partner_id, hour, earned FROM fresh
    ON CONFLICT (partner_id, hour) DO UPDATE SET earned = earnings_rollup.earned + excluded.earned
  )
  SELECT coalesce(sum(entries), 0) INTO folded FROM fresh;
  UPDATE watermark SET up_to = upto WHERE name = 'earnings';
  RETURN folded;
END $$;
