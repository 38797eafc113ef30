-- What a person sees of their own account: use by day, and a limit that rests.

-- CreateTable
CREATE TABLE "usage_day" (
    "user_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "partner_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,
    "tokens" BIGINT NOT NULL,
    "charge" BIGINT NOT NULL,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("user_id","day","partner_id","model")
);

-- AlterTable
ALTER TABLE "user_app" ADD COLUMN "allowance_paused" BIGINT;
ALTER TABLE "user_app" ADD CONSTRAINT "user_app_allowance_paused_positive" CHECK ("allowance_paused" > 0);

-- ── Use by day ────────────────────────────────────────────────────────────────────────────────

-- Folds what was used since the last time into days (UTC). Requests younger than the lag may still
-- belong to a running transaction, so they wait; readers add the tail. Returns how many were folded.
CREATE FUNCTION ledger_roll_up_usage(p_lag interval) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  begun timestamptz;
  upto timestamptz := clock_timestamp() - p_lag;
  folded bigint;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'usage' FOR UPDATE;
  IF upto <= begun THEN RETURN 0; END IF;
  WITH fresh AS (
    SELECT t.user_id, (t.created_at AT TIME ZONE 'UTC')::date AS day, u.partner_id, u.model, count(*) AS requests,
           sum(u.input_tokens::bigint + u.cache_read_tokens + u.cache_write_tokens + u.cache_write_1h_tokens + u.output_tokens) AS tokens,
           sum(u.charge) AS charge
    FROM ledger_transaction t
    JOIN usage u ON u.user_id = t.user_id AND u.request_id = t.cause_id
    WHERE t.kind = 'usage' AND t.created_at >= begun AND t.created_at < upto
    GROUP BY 1, 2, 3, 4
  ), folding AS (
    INSERT INTO usage_day AS d (user_id, day, partner_id, model, requests, tokens, charge) SELECT * FROM fresh
    ON CONFLICT (user_id, day, partner_id, model) DO UPDATE SET
      requests = d.requests + excluded.requests, tokens = d.tokens + excluded.tokens, charge = d.charge + excluded.charge
  )
  SELECT coalesce(sum(requests), 0) INTO folded FROM fresh;
  UPDATE watermark SET up_to = upto WHERE name = 'usage';
  RETURN folded;
END $$;

-- A user's use by day, app and model in [p_from, p_to), the tail included. Null takes all apps or models.
CREATE FUNCTION ledger_usage_days(p_user text, p_from date, p_to date, p_partner text, p_model text)
RETURNS TABLE (day date, partner_id text, model text, requests bigint, tokens bigint, charge bigint) LANGUAGE sql STABLE AS $$
  WITH mark AS (SELECT coalesce((SELECT up_to FROM watermark WHERE name = 'usage'), '2000-01-01') AS up_to),
  every_part AS (
    SELECT d.day, d.partner_id, d.model, d.requests, d.tokens, d.charge FROM usage_day d
    WHERE d.user_id = p_user AND d.day >= p_from AND d.day < p_to
      AND (p_partner IS NULL OR d.partner_id = p_partner) AND (p_model IS NULL OR d.model = p_model)
    UNION ALL
    SELECT (t.created_at AT TIME ZONE 'UTC')::date, u.partner_id, u.model, 1,
           u.input_tokens::bigint + u.cache_read_tokens + u.cache_write_tokens + u.cache_write_1h_tokens + u.output_tokens, u.charge
    FROM mark
    CROSS JOIN user_app a
    CROSS JOIN LATERAL (
      SELECT t.cause_id, t.created_at FROM ledger_transaction t
      WHERE t.user_id = p_user AND t.partner_id = a.partner_id AND t.kind = 'usage'
        AND t.created_at >= greatest(mark.up_to, p_from::timestamp AT TIME ZONE 'UTC')
        AND t.created_at < p_to::timestamp AT TIME ZONE 'UTC') t
    JOIN usage u ON u.user_id = p_user AND u.request_id = t.cause_id
    WHERE a.user_id = p_user AND (p_partner IS NULL OR a.partner_id = p_partner) AND (p_model IS NULL OR u.model = p_model)
  )
  SELECT day, partner_id, model, sum(requests)::bigint, sum(tokens)::bigint, sum(charge)::bigint FROM every_part GROUP BY 1, 2, 3
$$;

INSERT INTO watermark (name, up_to) VALUES ('usage', '2000-01-01');
SELECT ledger_roll_up_usage('1 minute');

-- ── A limit that rests ────────────────────────────────────────────────────────────────────────

-- As before, and whatever rested is forgotten: the save is the newest word.
CREATE OR REPLACE FUNCTION ledger_save_allowance(p_user text, p_partner text, p_limit bigint, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  purse wallet;
  pocket user_app;
  before bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT purse FROM wallet WHERE user_id = p_user FOR UPDATE;
  RETURN QUERY SELECT t.id, t.balance_after, t.credits_added, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = 'permission' AND t.cause_id = p_save;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  before := ledger_spendable(purse.money, purse.held, pocket.own, pocket.own_held, pocket.allowance_left);
  after := ledger_spendable(purse.money, purse.held, pocket.own, pocket.own_held, coalesce(p_limit, 0));

  UPDATE user_app SET allowance_left = coalesce(p_limit, 0), allowance_saved = p_limit, allowance_paused = NULL, epoch = epoch + 1
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, credits_added, allowance_saved)
    VALUES (p_user, p_transaction, p_partner, 'permission', p_save, 0, after, greatest(0, after - before), coalesce(p_limit, 0));
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;

-- Removes the limit and remembers what was left of it, for the day it is given back. No row when
-- nothing was left. What running requests reserved of it is theirs to use and is not remembered.
CREATE FUNCTION ledger_pause_allowance(p_user text, p_partner text, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
DECLARE
  remaining bigint;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT allowance_left INTO remaining FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  IF coalesce(remaining, 0) = 0 THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM ledger_save_allowance(p_user, p_partner, NULL, p_save, p_transaction);
  UPDATE user_app SET allowance_paused = remaining WHERE user_id = p_user AND partner_id = p_partner;
END $$;

-- Gives a resting limit back, as one more save. No row when none rests.
CREATE FUNCTION ledger_resume_allowance(p_user text, p_partner text, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean, allowance_saved bigint)
LANGUAGE plpgsql AS $$
DECLARE
  resting bigint;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT allowance_paused INTO resting FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  IF resting IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT s.*, resting FROM ledger_save_allowance(p_user, p_partner, resting, p_save, p_transaction) s;
END $$;
