-- Holds whose lease has expired because their instance died. At most one per user, as settlement requires.
CREATE OR REPLACE FUNCTION ledger_abandoned(p_limit integer)
RETURNS TABLE (user_id text, hold_id text, request_id text, held bigint, cost bigint, charge bigint, receipt jsonb)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (h.user_id) h.user_id, h.request_id, h.metered_request, h.metered_held, h.metered_cost, h.metered_charge,
    h.metered_receipt
  FROM hold h WHERE h.lease_until < clock_timestamp()
  ORDER BY h.user_id LIMIT p_limit
$$;
