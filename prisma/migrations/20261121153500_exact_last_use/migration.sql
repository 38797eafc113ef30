-- Set on the keys of a user and app that have nearly as many as they may: from then on every use is
-- noted, so that the next key pushes out the one idle longest, to the moment.
ALTER TABLE "user_key" ADD COLUMN "exact_use" BOOLEAN NOT NULL DEFAULT false;
UPDATE "user_key" k SET "exact_use" = true WHERE k."revoked_at" IS NULL AND 9 <= (
  SELECT count(*) FROM "user_key" o
  WHERE o."user_id" = k."user_id" AND o."partner_id" = k."partner_id" AND o."revoked_at" IS NULL);

-- As before, but for the note of the last use.
CREATE OR REPLACE FUNCTION ledger_admit(p_requests json, p_minimum bigint, p_max_running integer, p_lease interval)
RETURNS TABLE (n integer, outcome text, user_id text, partner_id text, key_id text, app_user_id text, rate_bp integer, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH known AS (
    SELECT r.*, k.id AS key_id, k.user_id, k.partner_id AS partner_id, k.last_used_at, k.exact_use, p.rate_bp,
           p.disabled_at IS NOT NULL AS disabled,
           p.all_models OR r.model = ANY (p.allowed_models) AS model_allowed,
           row_number() OVER (PARTITION BY k.user_id ORDER BY r.n) AS turn
    FROM json_to_recordset(p_requests)
      AS r (n integer, key_hash text, request_id text, model text, need numeric, want numeric)
    LEFT JOIN LATERAL (
      SELECT * FROM user_key k WHERE k.hash = decode(r.key_hash, 'hex') AND k.revoked_at IS NULL OFFSET 0) k ON true
    LEFT JOIN LATERAL (SELECT * FROM partner p WHERE p.id = k.partner_id OFFSET 0) p ON true
  ),
  decided AS (
    SELECT w.*, u.app_user_id, u.epoch, least(s.spendable, s.want_credits) AS amount,
           greatest(0, u.own - u.own_held) AS own_free,
           CASE
             WHEN w.key_id IS NULL THEN 'invalid_user_key'
             WHEN w.turn > 1 THEN 'again'
             WHEN w.disabled THEN 'partner_disabled'
             WHEN NOT w.model_allowed THEN 'model_not_allowed'
             WHEN a.running >= p_max_running THEN 'too_many_running'
             WHEN s.spendable >= s.need_credits THEN 'held'
             ELSE ledger_status(s.spendable, ledger_idle(u, a.money), a.money, u.allowance_saved, s.need_credits)
           END AS outcome
    FROM known w
    LEFT JOIN LATERAL (SELECT * FROM wallet a WHERE a.user_id = w.user_id OFFSET 0) a ON true
    LEFT JOIN LATERAL (SELECT * FROM user_app u WHERE u.user_id = w.user_id AND u.partner_id = w.partner_id OFFSET 0) u ON true
    CROSS JOIN LATERAL (SELECT
      ledger_spendable(a.money, a.held, u.own, u.own_held, u.allowance_left),
      greatest(p_minimum, ledger_charge(w.need, w.rate_bp)),
      ledger_charge(w.want, w.rate_bp)) AS s (spendable, need_credits, want_credits)
  ),
  placed AS (SELECT d.*, least(d.amount, d.own_free) AS own_part FROM decided d WHERE d.outcome = 'held'),
  reserve_money AS (
    UPDATE wallet a SET held = a.held + h.amount, running = a.running + 1
    FROM placed h WHERE a.user_id = h.user_id
  ),
  reserve_pocket AS (
    UPDATE user_app u SET own_held = u.own_held + h.own_part, allowance_left = u.allowance_left - (h.amount - h.own_part)
    FROM placed h WHERE u.user_id = h.user_id AND u.partner_id = h.partner_id
  ),
  -- Exact to the minute, without a write per request; exact where the next key pushes one out.
  mark_used AS (
    UPDATE user_key k SET last_used_at = clock_timestamp()
    FROM placed h WHERE k.id = h.key_id
      AND (h.exact_use OR h.last_used_at IS NULL OR h.last_used_at < clock_timestamp() - interval '1 minute')
  ),
  insert_hold AS (
    INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until)
    SELECT h.user_id, h.request_id, h.partner_id, h.key_id, h.amount, h.own_part, h.epoch, h.rate_bp, clock_timestamp() + p_lease
    FROM placed h
  )
  SELECT d.n, d.outcome, d.user_id, d.partner_id, d.key_id, d.app_user_id, d.rate_bp, d.amount FROM decided d;
END $$;
