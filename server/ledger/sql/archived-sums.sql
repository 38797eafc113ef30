-- What receipts of one month come to, by user and app or pocket: rows of archived_month. `p_rows` are rows of
-- ledger_transaction, as an archive contains them.
CREATE OR REPLACE FUNCTION ledger_archived_sums(p_month date, p_rows json) RETURNS SETOF archived_month
LANGUAGE sql STABLE AS $$
  WITH receipt AS MATERIALIZED (SELECT * FROM json_populate_recordset(NULL::ledger_transaction, p_rows)),
  part AS (
    SELECT r.user_id, r.partner_id, 1 AS requests,
           r.input_tokens::bigint + r.cache_read_tokens + r.cache_write_tokens + r.cache_write_1h_tokens + r.output_tokens AS tokens,
           -r.credits AS charge, 0::bigint AS earned,
           CASE WHEN r.allowance_spent IS NULL OR EXISTS (
             SELECT 1 FROM ledger_transaction s WHERE s.user_id = r.user_id AND s.partner_id = r.partner_id AND s.kind = 'permission'
               AND s.created_at > r.created_at AND s.created_at < (p_month + interval '1 month') AT TIME ZONE 'UTC')
             THEN 0 ELSE r.allowance_spent END AS allowance_spent,
           0::bigint AS moved, 0::bigint AS granted
    FROM receipt r
    UNION ALL
    SELECT r.user_id, p.partner_id, 0, 0, 0, CASE p.account WHEN 'pocket' THEN 0 ELSE p.amount END, 0,
           CASE p.account WHEN 'pocket' THEN p.amount ELSE 0 END, CASE p.account WHEN 'pocket' THEN coalesce(p.granted, 0) ELSE 0 END
    FROM receipt r
    CROSS JOIN LATERAL ledger_entries(r.kind, r.partner_id, r.credits, r.provider_cost, r.partner_share, r.postings) p
    WHERE p.account IN ('pocket', 'partner_earnings')
  )
  SELECT user_id, partner_id, p_month, sum(requests)::bigint, sum(tokens)::bigint, sum(charge)::bigint, sum(earned)::bigint,
         sum(allowance_spent)::bigint, sum(moved)::bigint, sum(granted)::bigint
  FROM part GROUP BY 1, 2
$$;
