-- A user's requests by day, partner and model in [p_from, p_to), including those not rolled up yet. Null
-- selects all partners or all models.
CREATE OR REPLACE FUNCTION ledger_usage_days(p_user text, p_from date, p_to date, p_partner text, p_model text)
RETURNS TABLE (day date, partner_id text, model text, requests bigint, tokens bigint, charge bigint) LANGUAGE sql STABLE AS $$
  WITH mark AS (
    SELECT greatest(coalesce((SELECT up_to FROM watermark WHERE name = 'usage'), '2000-01-01'),
                    p_from::timestamp AT TIME ZONE 'UTC') AS begun,
           p_to::timestamp AT TIME ZONE 'UTC' AS ended),
  every_part AS (
    SELECT d.day, d.partner_id, d.model, d.requests, d.tokens, d.charge FROM usage_day d
    WHERE d.user_id = p_user AND d.day >= p_from AND d.day < p_to
      AND (p_partner IS NULL OR d.partner_id = p_partner) AND (p_model IS NULL OR d.model = p_model)
    UNION ALL
    SELECT (u.created_at AT TIME ZONE 'UTC')::date, u.partner_id, u.model, 1,
           u.input_tokens::bigint + u.cache_read_tokens + u.cache_write_tokens + u.cache_write_1h_tokens + u.output_tokens, u.charge
    FROM mark
    CROSS JOIN user_app a
    JOIN usage u ON u.user_id = p_user AND u.partner_id = a.partner_id
      AND u.created_at >= mark.begun AND u.created_at < mark.ended
      AND ledger_slot(u.created_at) >= ledger_slot(mark.begun) AND ledger_slot(u.created_at) <= ledger_slot(mark.ended)
    WHERE a.user_id = p_user AND (p_partner IS NULL OR a.partner_id = p_partner) AND (p_model IS NULL OR u.model = p_model)
  )
  SELECT day, partner_id, model, sum(requests)::bigint, sum(tokens)::bigint, sum(charge)::bigint FROM every_part GROUP BY 1, 2, 3
$$;
