-- Sums of receipts by day, app and user, from which activity is shown.

-- What a transaction means for the operator's result, where its columns do not say it: of a request, the granted credits
-- that it spent and the commission withheld on them; the commission that was reversed; what a correction costs the
-- operator; and credits given as if they were bought (GRANTS_EARN_COMMISSION), which cost when they are given.
CREATE OR REPLACE FUNCTION activity_result(t ledger_transaction) RETURNS TABLE (kind text, credits bigint)
LANGUAGE sql STABLE AS $$
  WITH posted AS (
    SELECT -sum(e.granted) FILTER (WHERE e.account = 'pocket') AS granted_spent,
           sum(e.amount) FILTER (WHERE e.account = 'promotion_expense') AS withheld,
           -sum(e.amount - coalesce(e.granted, 0)) FILTER (WHERE e.account IN ('pocket', 'provider_cost', 'partner_earnings')) AS result
    FROM ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) e
  )
  SELECT r.kind, r.credits::bigint
  FROM posted p CROSS JOIN LATERAL (VALUES
    ('usage', 'granted_spent', p.granted_spent), ('usage', 'commission_withheld', p.withheld),
    ('earnings_reversal', 'commission_reversed', p.result), ('correction', 'correction_result', p.result),
    ('promotion', 'granted_as_bought', -p.result), ('adjustment', 'granted_as_bought', -p.result)) AS r (cause, kind, credits)
  WHERE r.cause = t.kind AND r.credits <> 0
$$;

-- Adds new receipts since the watermark to the daily sums (UTC), at most about 20,000 transactions per call, so that
-- it is short. Receipts younger than `p_lag` may belong to a transaction that is still running, so they are added
-- later. Returns true if there is more to add. The planner has no statistics about the watermark, so the settings
-- make it use the indexes on time.
CREATE OR REPLACE FUNCTION activity_roll_up(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  -- One instance at a time; the others return immediately.
  SELECT up_to INTO begun FROM watermark WHERE name = 'activity' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);

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
  SELECT (created_at AT TIME ZONE 'UTC')::date, partner_id, kind, count(*), sum(credits)
  FROM (
    SELECT created_at, partner_id, CASE kind WHEN 'refund' THEN note ELSE kind END AS kind, credits
    FROM ledger_transaction
    WHERE created_at >= begun AND created_at < upto AND kind IN ('purchase', 'refund', 'adjustment', 'promotion', 'correction')
    UNION ALL
    SELECT t.created_at, t.partner_id, r.kind, r.credits
    FROM ledger_transaction t CROSS JOIN LATERAL activity_result(t) r
    WHERE t.created_at >= begun AND t.created_at < upto AND t.postings IS NOT NULL
  ) fresh
  GROUP BY 1, 2, 3
  ON CONFLICT (day, partner_id, kind) DO UPDATE SET
    entries = m.entries + excluded.entries, credits = m.credits + excluded.credits;

  UPDATE watermark SET up_to = upto WHERE name = 'activity';
  RETURN upto < newest;
END $$;

-- The receipts that activity_roll_up has not added to a day yet.
CREATE OR REPLACE FUNCTION activity_pending() RETURNS SETOF usage LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT * FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'activity')
$$;

-- Requests by partner, day, model and provider, always exact: the daily sums plus the receipts that are not
-- in them yet. A key may occur more than once, so readers must sum up.
CREATE OR REPLACE VIEW activity_by_partner AS
  SELECT * FROM activity_partner_day
  UNION ALL
  SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, model, provider, 1, (outcome <> 'completed')::integer,
         input_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens, cache_read_tokens, output_tokens,
         charge, provider_cost, partner_share
  FROM activity_pending();

-- Adds new receipts since the watermark to the sums by user and partner, at most about 20,000 per call, as activity_roll_up
-- does. Returns true if there is more to add.
CREATE OR REPLACE FUNCTION activity_roll_up_app_users(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'app_users' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);

  INSERT INTO activity_app_user AS a (partner_id, user_id, requests, charge, partner_share, last_at)
  SELECT partner_id, user_id, count(*), sum(charge), sum(partner_share), max(created_at)
  FROM usage WHERE created_at >= begun AND created_at < upto
  GROUP BY 1, 2
  ON CONFLICT (partner_id, user_id) DO UPDATE SET
    requests = a.requests + excluded.requests, charge = a.charge + excluded.charge,
    partner_share = a.partner_share + excluded.partner_share, last_at = greatest(a.last_at, excluded.last_at);

  UPDATE watermark SET up_to = upto WHERE name = 'app_users';
  RETURN upto < newest;
END $$;

-- A partner's sums by user from the receipts that activity_roll_up_app_users has not added yet.
CREATE OR REPLACE FUNCTION activity_pending_app_users(p_partner text) RETURNS SETOF activity_app_user
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT partner_id, user_id, count(*), sum(charge)::bigint, sum(partner_share)::bigint, max(created_at)
  FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'app_users') AND partner_id = p_partner
  GROUP BY 1, 2
$$;
