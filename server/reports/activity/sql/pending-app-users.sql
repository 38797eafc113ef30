-- A partner's sums by user from the receipts that roll-up-app-users.sql has not added yet.
CREATE OR REPLACE FUNCTION activity_pending_app_users(p_partner text) RETURNS SETOF activity_app_user
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT partner_id, user_id, count(*), sum(charge)::bigint, sum(partner_share)::bigint, max(created_at)
  FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'app_users') AND partner_id = p_partner
  GROUP BY 1, 2
$$;
