-- Records a call that a provider billed, or may have billed, and that no user was charged for. Recorded once. Losses that
-- a user may have caused count as overruns (count-overrun.sql); an outage of a provider or of an instance pauses nobody.
-- Returns who was paused by this one.
CREATE OR REPLACE FUNCTION ledger_record_loss(
  p_user text, p_request text, p_call integer, p_partner text, p_model text, p_provider text, p_reason text,
  p_cost bigint, p_estimated boolean, p_user_limit bigint, p_app_limit bigint
) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  INSERT INTO provider_loss (user_id, request_id, call, partner_id, model, provider, reason, cost, is_estimated)
  VALUES (p_user, p_request, p_call, p_partner, p_model, p_provider, p_reason, p_cost, p_estimated)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND OR p_reason IN ('timeout', 'connection_lost', 'instance_died') THEN
    RETURN NULL;
  END IF;
  RETURN ledger_count_overrun(p_user, p_partner, p_cost, p_user_limit, p_app_limit);
END $$;
