-- Removes limits that limit nothing, so that the user's requests cost what those of other users cost.
CREATE OR REPLACE FUNCTION ledger_forget_limits(p_user text, p_partner text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM spending_limit l WHERE l.user_id = p_user AND l.partner_id = p_partner AND l.stopped_at IS NULL
    AND coalesce(l.per_request, l.per_day, l.per_week, l.per_month) IS NULL AND l.model_rule IS NULL;
  UPDATE wallet a SET limits_zone = NULL
    WHERE a.user_id = p_user AND NOT EXISTS (SELECT FROM spending_limit l WHERE l.user_id = p_user);
$$;
