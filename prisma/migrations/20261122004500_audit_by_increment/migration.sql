-- What beside the requests grows with the history, or slows them down.

-- CreateTable
CREATE TABLE "audited_pocket" (
    "user_id" TEXT NOT NULL,
    "partner_id" TEXT NOT NULL,
    "total" BIGINT NOT NULL,

    CONSTRAINT "audited_pocket_pkey" PRIMARY KEY ("user_id","partner_id")
);

-- With the other ways off, the planner took bitmap scans for a single row where the statistics looked
-- small: three times the work of an index scan, and a call to the file system for each.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION %s SET enable_bitmapscan = off', 'ledger_batch'::regproc::oid::regprocedure);
END $$;

-- ── Use by day ────────────────────────────────────────────────────────────────────────────────

-- From the receipts alone, by their own time: the transactions need not be read beside them.
-- One instance folds, the others go on.
CREATE OR REPLACE FUNCTION ledger_roll_up_usage(p_lag interval) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  upto timestamptz := clock_timestamp() - p_lag;
  folded bigint;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'usage' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR upto <= begun THEN RETURN 0; END IF;
  WITH fresh AS (
    SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, partner_id, model, count(*) AS requests,
           sum(input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens + output_tokens) AS tokens,
           sum(charge) AS charge
    FROM usage WHERE created_at >= begun AND created_at < upto
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

-- As before, by the receipts' time. Receipt and transaction are written in one statement: a minute of
-- slack finds the one by the other's time.
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
    CROSS JOIN LATERAL (
      SELECT t.cause_id FROM ledger_transaction t
      WHERE t.user_id = p_user AND t.partner_id = a.partner_id AND t.kind = 'usage'
        AND t.created_at >= mark.begun - interval '1 minute' AND t.created_at < mark.ended + interval '1 minute') t
    JOIN usage u ON u.user_id = p_user AND u.request_id = t.cause_id
    WHERE a.user_id = p_user AND (p_partner IS NULL OR a.partner_id = p_partner) AND (p_model IS NULL OR u.model = p_model)
      AND u.created_at >= mark.begun AND u.created_at < mark.ended
  )
  SELECT day, partner_id, model, sum(requests)::bigint, sum(tokens)::bigint, sum(charge)::bigint FROM every_part GROUP BY 1, 2, 3
$$;

-- The days are folded anew: what lay at the edge was placed by the other time.
DELETE FROM usage_day;
UPDATE watermark SET up_to = '2000-01-01' WHERE name = 'usage';
SELECT ledger_roll_up_usage('1 minute');
