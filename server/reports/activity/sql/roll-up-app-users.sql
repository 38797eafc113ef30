-- Adds new receipts since the watermark to the sums by user and partner, at most about 20,000 per call, as roll-up.sql
-- does. Returns true if there is more to add.
CREATE OR REPLACE FUNCTION activity_roll_up_app_users(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'app_users' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);

  INSERT INTO activity_app_user AS a (partner_id, user_id, requests, charge, partner_share, last_at)
  SELECT partner_id, user_id, count(*), sum(charge), sum(partner_share), max(created_at)
  FROM usage WHERE created_at >= begun AND created_at < upto
  GROUP BY 1, 2
  ON CONFLICT (partner_id, user_id) DO UPDATE SET
    requests = a.requests + excluded.requests, charge = a.charge + excluded.charge,
    partner_share = a.partner_share + excluded.partner_share, last_at = greatest(a.last_at, excluded.last_at);

  UPDATE watermark SET up_to = upto WHERE name = 'app_users';
  RETURN upto < newest;
END $$;
