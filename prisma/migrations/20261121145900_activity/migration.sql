-- What the dashboards read of a year: sums by day, folded beside the requests and never by them.

CREATE TABLE "activity_partner_day" (
    "partner_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "unfinished" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "cached_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "charge" BIGINT NOT NULL,
    "provider_cost" BIGINT NOT NULL,
    "partner_share" BIGINT NOT NULL,

    CONSTRAINT "activity_partner_day_pkey" PRIMARY KEY ("partner_id","day","model","provider")
);
CREATE INDEX "activity_partner_day_day_idx" ON "activity_partner_day"("day");

CREATE TABLE "activity_money_day" (
    "day" DATE NOT NULL,
    "partner_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "entries" BIGINT NOT NULL,
    "credits" BIGINT NOT NULL,

    CONSTRAINT "activity_money_day_pkey" PRIMARY KEY ("day","partner_id","kind")
);

CREATE TABLE "refusal_hour" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "partner_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "refusal_hour_pkey" PRIMARY KEY ("hour","partner_id","code")
);
CREATE INDEX "refusal_hour_partner_id_hour_idx" ON "refusal_hour"("partner_id", "hour");

CREATE TABLE "provider_failure_hour" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "provider" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "count" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_failure_hour_pkey" PRIMARY KEY ("hour","provider","kind","status")
);

CREATE TABLE "provider_cooldown" (
    "instance" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "cooldown_until" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_cooldown_pkey" PRIMARY KEY ("instance","provider")
);

-- Receipts arrive in the order of time: a few pages of index tell where a minute lies, and an
-- insert hardly ever touches them. What no summary tells of yet is read whole: so it may not gather.
CREATE INDEX "usage_created_at_idx" ON "usage" USING brin ("created_at") WITH (pages_per_range = 32, autosummarize = on);
ALTER INDEX "ledger_transaction_created" SET (autosummarize = on);

-- Folds what came since the watermark into days (UTC), at most one day of it in a call; what is
-- younger than the lag may belong to a transaction that still runs. True when there is more to fold.
-- No statistics know the watermark, so the planner is told to use the indexes by time.
CREATE FUNCTION activity_roll_up(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  -- Several instances may come at once: one folds, the others go on.
  SELECT up_to INTO begun FROM watermark WHERE name = 'activity' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  -- Quiet times are skipped.
  SELECT least(newest, greatest(begun, coalesce(min(created_at), newest)) + interval '1 day') INTO upto
    FROM ledger_transaction WHERE created_at >= begun AND created_at < newest;

  WITH fresh AS (
    SELECT partner_id, model, provider, (created_at AT TIME ZONE 'UTC')::date AS day,
           count(*) AS requests, count(*) FILTER (WHERE outcome <> 'completed') AS unfinished,
           sum(input_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens)::bigint AS input_tokens,
           sum(cache_read_tokens)::bigint AS cached_tokens, sum(output_tokens)::bigint AS output_tokens,
           sum(charge)::bigint AS charge, sum(provider_cost)::bigint AS provider_cost, sum(partner_share)::bigint AS partner_share
    FROM usage WHERE created_at >= begun AND created_at < upto
    GROUP BY 1, 2, 3, 4
  ), by_partner AS (
    INSERT INTO activity_partner_day AS a
    SELECT partner_id, day, model, provider, requests, unfinished, input_tokens, cached_tokens, output_tokens, charge,
           provider_cost, partner_share FROM fresh
    ON CONFLICT (partner_id, day, model, provider) DO UPDATE SET
      requests = a.requests + excluded.requests, unfinished = a.unfinished + excluded.unfinished,
      input_tokens = a.input_tokens + excluded.input_tokens, cached_tokens = a.cached_tokens + excluded.cached_tokens,
      output_tokens = a.output_tokens + excluded.output_tokens, charge = a.charge + excluded.charge,
      provider_cost = a.provider_cost + excluded.provider_cost, partner_share = a.partner_share + excluded.partner_share
  )
  INSERT INTO activity_money_day AS m
  SELECT (created_at AT TIME ZONE 'UTC')::date, partner_id, CASE kind WHEN 'refund' THEN note ELSE kind END, count(*), sum(credits)
  FROM ledger_transaction
  WHERE created_at >= begun AND created_at < upto AND kind IN ('purchase', 'refund', 'adjustment')
  GROUP BY 1, 2, 3
  ON CONFLICT (day, partner_id, kind) DO UPDATE SET
    entries = m.entries + excluded.entries, credits = m.credits + excluded.credits;

  UPDATE watermark SET up_to = upto WHERE name = 'activity';
  RETURN upto < newest;
END $$;

-- The receipts that no day has yet: those of the last moments.
CREATE FUNCTION activity_unfolded() RETURNS SETOF usage LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT * FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'activity')
$$;

-- Days and last moments together: exact at any time. Sum them up; a key may come more than once.
CREATE VIEW "activity_by_partner" AS
  SELECT * FROM activity_partner_day
  UNION ALL
  SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, model, provider, 1, (outcome <> 'completed')::integer,
         input_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens, cache_read_tokens, output_tokens,
         charge, provider_cost, partner_share
  FROM activity_unfolded();

INSERT INTO watermark (name, up_to) VALUES ('activity', '2000-01-01');
