-- Requests by partner, day, model and provider, always exact: the daily sums plus the receipts that are not
-- in them yet. A key may occur more than once, so readers must sum up.
CREATE OR REPLACE VIEW activity_by_partner AS
  SELECT * FROM activity_partner_day
  UNION ALL
  SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, model, provider, 1, (outcome <> 'completed')::integer,
         input_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens, cache_read_tokens, output_tokens,
         charge, provider_cost, partner_share
  FROM activity_pending();
