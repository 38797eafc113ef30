-- The receipts of charged requests. The id of a request differs from that of its transaction only by the prefix: a
-- reader who has one selects by `transaction_id`, which has an index, not by `request_id`.
CREATE OR REPLACE VIEW usage AS
  SELECT user_id, id AS transaction_id, 'req_' || substr(id, 5) AS request_id, partner_id, key_id,
    model, provider, price_version, input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,
    output_tokens, reasoning_tokens, web_searches, held, provider_cost, -credits AS charge, partner_share, estimated, cost_reported,
    rate_bp, outcome, created_at, attempts
  FROM ledger_transaction WHERE kind = 'usage' AND model IS NOT NULL;
