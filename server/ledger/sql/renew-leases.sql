-- Extends the leases of running requests and stores what was metered so far. Such a hold is kept no longer: what was
-- metered is of this request. p_requests: [{user_id, request_id, hold_id, held, cost, charge, receipt}].
CREATE OR REPLACE FUNCTION ledger_renew(p_requests json, p_lease interval) RETURNS void LANGUAGE sql AS $$
  UPDATE hold h SET lease_until = clock_timestamp() + p_lease, kept = false, metered_request = r.request_id, metered_held = r.held,
    metered_cost = r.cost, metered_charge = r.charge, metered_receipt = r.receipt
  FROM json_to_recordset(p_requests)
    AS r (user_id text, request_id text, hold_id text, held bigint, cost bigint, charge bigint, receipt jsonb)
  WHERE h.user_id = r.user_id AND h.request_id = r.hold_id
$$;
