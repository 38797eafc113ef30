-- Holds whose lease has expired because their instance died, or is paused. At most one per user, as settlement requires.
-- `p_own` are the holds that the calling instance uses: their renewal is only late.
CREATE OR REPLACE FUNCTION ledger_abandoned(p_limit integer, p_own text[])
RETURNS TABLE (user_id text, hold_id text)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (h.user_id) h.user_id, h.request_id
  FROM hold h WHERE h.lease_until < clock_timestamp() AND h.request_id <> ALL (p_own)
  ORDER BY h.user_id LIMIT p_limit
$$;
