-- Takes an amount from the user's other pockets: first from '' (outside any app), then from the other
-- partners' pockets, oldest first; of each pocket, granted credits first. Returns the postings, in which the
-- amounts taken are negative.
CREATE OR REPLACE FUNCTION ledger_draw(p_user text, p_partner text, p_wanted bigint) RETURNS jsonb
LANGUAGE sql AS $$
  WITH others AS (
    SELECT p.partner_id, greatest(0, p.own_granted) AS granted, greatest(0, p.own - p.own_held) AS free,
           coalesce(sum(greatest(0, p.own - p.own_held)) OVER (
             ORDER BY p.partner_id <> '', p.created_at, p.partner_id
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS free_before
    FROM user_app p WHERE p.user_id = p_user AND p.partner_id <> p_partner
  ),
  drawn AS (
    UPDATE user_app u SET own = u.own - least(o.free, p_wanted - o.free_before)::bigint,
      own_granted = u.own_granted - least(o.granted, o.free, p_wanted - o.free_before)::bigint
    FROM others o WHERE u.user_id = p_user AND u.partner_id = o.partner_id AND o.free > 0 AND p_wanted > o.free_before
    RETURNING u.partner_id, least(o.free, p_wanted - o.free_before)::bigint AS amount, o.granted
  )
  SELECT coalesce(jsonb_agg(ledger_pocket_posting(d.partner_id, -d.amount, -least(d.granted, d.amount)) -> 0), '[]')
  FROM drawn d
$$;
