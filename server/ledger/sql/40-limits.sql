-- What users, partners and the operator limit, and what stops or pauses a user or an app.

-- The clock of spending limits. Tests replace it.
CREATE OR REPLACE FUNCTION ledger_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() $$;

-- The day that limits of partners refer to, in UTC.
CREATE OR REPLACE FUNCTION ledger_today() RETURNS date LANGUAGE sql VOLATILE AS $$
  SELECT timezone('UTC', ledger_clock())::date
$$;

-- When a local time first occurs in a time zone. Where clocks go back at midnight, it occurs twice.
CREATE OR REPLACE FUNCTION ledger_instant(zone text, local_time timestamp) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN timezone(zone, i - interval '1 hour') >= local_time THEN i - interval '1 hour' ELSE i END
  FROM timezone(zone, local_time) AS i
$$;

-- The start of the calendar day, week (from Monday) or month that contains an instant.
CREATE OR REPLACE FUNCTION ledger_period_start(kind text, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_instant(zone, date_trunc(kind, timezone(zone, at)))
$$;

-- The end of the calendar day, week (from Monday) or month that contains an instant.
CREATE OR REPLACE FUNCTION ledger_period_end(kind text, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_instant(zone, date_trunc(kind, timezone(zone, at)) + ('1 ' || kind)::interval)
$$;

-- The end of the period that contains `at`, after one that ended at `ended`. If the time zone has changed since, the
-- period in between is the one that comes closest to a whole one: up to 12 hours shorter or longer. A zone that this
-- database does not know is treated as UTC, because a settlement must not fail.
CREATE OR REPLACE FUNCTION ledger_next_period_end(kind text, zone text, ended timestamptz, at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN greatest(
    ledger_instant(zone, date_trunc(kind, timezone(zone, ended) + interval '12 hours') + ('1 ' || kind)::interval),
    ledger_period_end(kind, zone, at));
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN ledger_period_end(kind, 'UTC', at);
END $$;

-- The limits of a partner for one of its users: those for this user, else those of the app, else the default for all
-- apps; and the ceiling, whatever the others are.
CREATE OR REPLACE FUNCTION ledger_partner_limits(p_partner text, p_app_user text) RETURNS SETOF partner_limit
LANGUAGE sql STABLE AS $$
  (SELECT * FROM partner_limit l
   WHERE l.partner_id IN (p_partner, '') AND l.app_user_id IN (p_app_user, '') AND NOT l.ceiling
   ORDER BY l.app_user_id DESC, l.partner_id DESC LIMIT 1)
  UNION ALL
  SELECT * FROM partner_limit l WHERE l.partner_id = p_partner AND l.app_user_id = '' AND l.ceiling
$$;

-- What a user spent in an app on the running day and in its month (UTC), and when these end.
CREATE OR REPLACE FUNCTION ledger_spent_in_app(app user_app, today date)
RETURNS TABLE (day bigint, month bigint, day_ends timestamptz, month_ends timestamptz)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN app.spent_on >= today THEN app.day_spent ELSE 0 END,
    CASE WHEN app.spent_on >= date_trunc('month', today::timestamp) THEN app.month_spent ELSE 0 END,
    timezone('UTC', today + interval '1 day'),
    timezone('UTC', date_trunc('month', today::timestamp) + interval '1 month')
$$;

-- `partner.limits_users`, which admission reads anyway, says whether it must look for limits. Each statement that follows
-- a lock sees what was committed before it was granted, so that neither a limit nor an app is missed.
CREATE OR REPLACE FUNCTION partner_limit_marks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_partner CONSTANT text := coalesce(NEW.partner_id, OLD.partner_id);
BEGIN
  IF of_partner = '' THEN
    -- Also waits for apps that are being created, and for changes of others.
    LOCK TABLE partner IN EXCLUSIVE MODE;
  ELSE
    PERFORM 1 FROM partner WHERE id = of_partner FOR NO KEY UPDATE;
  END IF;
  UPDATE partner p SET limits_users = NOT p.limits_users
    WHERE of_partner IN ('', p.id)
      AND p.limits_users <> EXISTS (SELECT FROM partner_limit l WHERE l.partner_id IN ('', p.id));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER partner_limit_marks AFTER INSERT OR DELETE ON partner_limit
  FOR EACH ROW EXECUTE FUNCTION partner_limit_marks();

-- A new app must look for limits if there is a default for all apps.
CREATE OR REPLACE FUNCTION partner_limit_marks_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.limits_users := NEW.limits_users OR EXISTS (SELECT FROM partner_limit l WHERE l.partner_id = '');
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER partner_limit_marks_new BEFORE INSERT ON partner
  FOR EACH ROW EXECUTE FUNCTION partner_limit_marks_new();

-- What limits leave an app: the user's own for the app and for all apps, unless `p_zone` is null, and those of the
-- partner if `p_by_partner`. `free` is the most that a request may hold now, and `per_request` the most that any may;
-- null if nothing limits it. `refusal` names a limit that the request would not fit even if none of the user's requests
-- were running, and `resets_at` is when its period ends. Of several, the one that lasts longest, and rather one that the user
-- cannot raise. `p_cost` is the least that the request costs and `p_need` the least that must be free; `p_held` is what all requests of the
-- user hold. The hold `p_without` is left out. The caller has locked the wallet.
CREATE OR REPLACE FUNCTION ledger_limits(
  p_user text, p_partner text, p_zone text, p_by_partner boolean, p_model text, p_cost bigint, p_need bigint, p_held bigint,
  p_without text
) RETURNS TABLE (free bigint, per_request bigint, refusal text, resets_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  now_at CONSTANT timestamptz := ledger_clock();
  today CONSTANT date := timezone('UTC', now_at)::date;
  rule record;
BEGIN
  FOR rule IN
    SELECT r.kind, r.reached, r.free, r.ends, l.scope
    FROM (
      SELECT CASE WHEN l.partner_id = '' THEN 'all' ELSE 'app' END AS scope, l.stopped_at,
        l.model_rule, l.models, l.per_request, l.per_month, l.per_week, l.per_day,
        CASE WHEN now_at < l.month_ends THEN l.month_spent ELSE 0 END AS month_spent,
        CASE WHEN now_at < l.week_ends THEN l.week_spent ELSE 0 END AS week_spent,
        CASE WHEN now_at < l.day_ends THEN l.day_spent ELSE 0 END AS day_spent,
        l.month_ends, l.week_ends, l.day_ends
      FROM spending_limit l WHERE p_zone IS NOT NULL AND l.user_id = p_user AND l.partner_id IN ('', p_partner)
      UNION ALL
      SELECT 'partner', NULL, l.model_rule, l.models, l.per_request, l.per_month, NULL, l.per_day,
        s.month, NULL, s.day, s.month_ends, NULL, s.day_ends
      FROM user_app u
      CROSS JOIN LATERAL ledger_partner_limits(p_partner, u.app_user_id) l
      CROSS JOIN LATERAL ledger_spent_in_app(u, today) s
      WHERE p_by_partner AND u.user_id = p_user AND u.partner_id = p_partner) l
    CROSS JOIN LATERAL (
      SELECT CASE WHEN l.scope = 'all' THEN p_held ELSE (
        SELECT coalesce(sum(h.amount), 0)::bigint FROM hold h
        WHERE h.user_id = p_user AND h.partner_id = p_partner AND h.request_id IS DISTINCT FROM p_without) END) AS h (held)
    CROSS JOIN LATERAL (VALUES
      (1, 'stop', l.stopped_at IS NOT NULL, NULL::bigint, NULL::timestamptz),
      (2, 'model', CASE l.model_rule WHEN 'only' THEN p_model <> ALL (l.models) WHEN 'except' THEN p_model = ANY (l.models) END, NULL, NULL),
      (3, 'request', p_cost > l.per_request, l.per_request, NULL),
      (4, 'month', p_need > l.per_month - l.month_spent, l.per_month - l.month_spent - h.held, l.month_ends),
      (5, 'week', p_need > l.per_week - l.week_spent, l.per_week - l.week_spent - h.held, l.week_ends),
      (6, 'day', p_need > l.per_day - l.day_spent, l.per_day - l.day_spent - h.held, l.day_ends)) AS r (rank, kind, reached, free, ends)
    ORDER BY r.rank, l.scope <> 'partner', l.scope
  LOOP
    IF rule.kind = 'request' THEN
      per_request := least(per_request, rule.free);
    ELSE
      free := least(free, rule.free);
    END IF;
    IF refusal IS NULL AND rule.reached THEN
      refusal := 'limit_' || rule.kind || '_' || rule.scope;
      resets_at := CASE WHEN now_at < rule.ends THEN rule.ends
        WHEN rule.ends IS NOT NULL THEN ledger_next_period_end(rule.kind, p_zone, rule.ends, now_at) END;
    END IF;
  END LOOP;
  RETURN NEXT;
END $$;

-- Counts what a request spent in the running day, week and month of the user's own limits, and returns what all limits
-- leave the app. Nothing lowers a sum before its period ends. It is booked at `p_at`. The caller has locked the wallet, and
-- has counted for the partner's limits in `user_app`.
CREATE OR REPLACE FUNCTION ledger_count_spent(
  p_user text, p_partner text, p_zone text, p_by_partner boolean, p_at timestamptz, p_spent bigint, p_held bigint,
  p_without text
) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  IF p_zone IS NOT NULL AND p_spent > 0 THEN
    UPDATE spending_limit l SET
      day_spent = p_spent + CASE WHEN p_at < l.day_ends THEN l.day_spent ELSE 0 END,
      day_starts = CASE WHEN p_at < l.day_ends THEN l.day_starts ELSE l.day_ends END,
      day_ends = CASE WHEN p_at < l.day_ends THEN l.day_ends ELSE ledger_next_period_end('day', p_zone, l.day_ends, p_at) END,
      week_spent = p_spent + CASE WHEN p_at < l.week_ends THEN l.week_spent ELSE 0 END,
      week_starts = CASE WHEN p_at < l.week_ends THEN l.week_starts ELSE l.week_ends END,
      week_ends = CASE WHEN p_at < l.week_ends THEN l.week_ends ELSE ledger_next_period_end('week', p_zone, l.week_ends, p_at) END,
      month_spent = p_spent + CASE WHEN p_at < l.month_ends THEN l.month_spent ELSE 0 END,
      month_starts = CASE WHEN p_at < l.month_ends THEN l.month_starts ELSE l.month_ends END,
      month_ends = CASE WHEN p_at < l.month_ends THEN l.month_ends ELSE ledger_next_period_end('month', p_zone, l.month_ends, p_at) END
    WHERE l.user_id = p_user AND l.partner_id IN ('', p_partner);
  END IF;
  RETURN (SELECT l.free FROM ledger_limits(p_user, p_partner, p_zone, p_by_partner, NULL, NULL, 0, p_held, p_without) l);
END $$;

-- The limits of a user with what is used of them; those for all apps first.
CREATE OR REPLACE FUNCTION ledger_limits_of(p_user text) RETURNS TABLE (
  zone text, partner_id text, per_request bigint, per_day bigint, per_week bigint, per_month bigint, model_rule text, models text[],
  is_stopped boolean, held bigint, day_spent bigint, day_ends timestamptz, week_spent bigint, week_ends timestamptz,
  month_spent bigint, month_ends timestamptz
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  now_at CONSTANT timestamptz := ledger_clock();
BEGIN
  RETURN QUERY
  SELECT a.limits_zone, l.partner_id, l.per_request, l.per_day, l.per_week, l.per_month, l.model_rule, l.models, l.stopped_at IS NOT NULL,
    CASE WHEN l.partner_id = '' THEN a.held ELSE (
      SELECT coalesce(sum(h.amount), 0)::bigint FROM hold h WHERE h.user_id = p_user AND h.partner_id = l.partner_id) END,
    CASE WHEN now_at < l.day_ends THEN l.day_spent ELSE 0 END,
    CASE WHEN now_at < l.day_ends THEN l.day_ends ELSE ledger_next_period_end('day', a.limits_zone, l.day_ends, now_at) END,
    CASE WHEN now_at < l.week_ends THEN l.week_spent ELSE 0 END,
    CASE WHEN now_at < l.week_ends THEN l.week_ends ELSE ledger_next_period_end('week', a.limits_zone, l.week_ends, now_at) END,
    CASE WHEN now_at < l.month_ends THEN l.month_spent ELSE 0 END,
    CASE WHEN now_at < l.month_ends THEN l.month_ends ELSE ledger_next_period_end('month', a.limits_zone, l.month_ends, now_at) END
  FROM wallet a JOIN spending_limit l ON l.user_id = a.user_id
  WHERE a.user_id = p_user ORDER BY l.partner_id;
END $$;

-- Saves the limits of a user for one app, or for all apps (p_partner ''), and the time zone of all their limits. Nulls
-- remove a limit. A new limit counts what was spent in its period before; sums that are kept already continue, so
-- that neither another limit nor another time zone resets them. A time zone takes effect when the running periods
-- end. False if the user does not use the app.
CREATE OR REPLACE FUNCTION ledger_save_limits(
  p_user text, p_partner text, p_zone text, p_request bigint, p_day bigint, p_week bigint, p_month bigint,
  p_model_rule text, p_models text[]
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  now_at timestamptz;
  day_starts timestamptz;
  week_starts timestamptz;
  month_starts timestamptz;
  spent record;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  IF p_partner <> '' AND NOT EXISTS (SELECT FROM user_app WHERE user_id = p_user AND partner_id = p_partner) THEN
    RETURN false;
  END IF;
  UPDATE wallet SET limits_zone = p_zone WHERE user_id = p_user;
  IF NOT EXISTS (
    SELECT FROM spending_limit l WHERE l.user_id = p_user AND l.partner_id = p_partner
      AND coalesce(l.per_day, l.per_week, l.per_month) IS NOT NULL
  ) THEN
    now_at := ledger_clock();
    day_starts := ledger_period_start('day', p_zone, now_at);
    week_starts := ledger_period_start('week', p_zone, now_at);
    month_starts := ledger_period_start('month', p_zone, now_at);
    SELECT coalesce(sum(t.spent) FILTER (WHERE t.created_at >= day_starts), 0) AS day,
           coalesce(sum(t.spent) FILTER (WHERE t.created_at >= week_starts), 0) AS week,
           coalesce(sum(t.spent) FILTER (WHERE t.created_at >= month_starts), 0) AS month
      INTO spent
      FROM user_app u CROSS JOIN LATERAL (
        SELECT t.created_at, -t.credits AS spent FROM ledger_transaction t
        WHERE t.user_id = u.user_id AND t.partner_id = u.partner_id AND t.kind = 'usage'
          AND t.created_at >= least(week_starts, month_starts)
          AND ledger_slot(t.created_at) >= ledger_slot(least(week_starts, month_starts))) t
      WHERE u.user_id = p_user AND p_partner IN ('', u.partner_id);
    INSERT INTO spending_limit (user_id, partner_id, day_spent, day_starts, day_ends, week_spent, week_starts, week_ends,
        month_spent, month_starts, month_ends)
      VALUES (p_user, p_partner, spent.day, day_starts, ledger_period_end('day', p_zone, now_at),
        spent.week, week_starts, ledger_period_end('week', p_zone, now_at),
        spent.month, month_starts, ledger_period_end('month', p_zone, now_at))
      ON CONFLICT (user_id, partner_id) DO UPDATE SET
        day_spent = excluded.day_spent, day_starts = excluded.day_starts, day_ends = excluded.day_ends,
        week_spent = excluded.week_spent, week_starts = excluded.week_starts, week_ends = excluded.week_ends,
        month_spent = excluded.month_spent, month_starts = excluded.month_starts, month_ends = excluded.month_ends;
  END IF;
  UPDATE spending_limit SET per_request = p_request, per_day = p_day, per_week = p_week, per_month = p_month,
      model_rule = p_model_rule, models = CASE WHEN p_model_rule IS NULL THEN '{}' ELSE p_models END
    WHERE user_id = p_user AND partner_id = p_partner;
  PERFORM ledger_forget_limits(p_user, p_partner);
  RETURN true;
END $$;

-- Removes limits that limit nothing, so that the user's requests cost what those of other users cost.
CREATE OR REPLACE FUNCTION ledger_forget_limits(p_user text, p_partner text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM spending_limit l WHERE l.user_id = p_user AND l.partner_id = p_partner AND l.stopped_at IS NULL
    AND coalesce(l.per_request, l.per_day, l.per_week, l.per_month) IS NULL AND l.model_rule IS NULL;
  UPDATE wallet a SET limits_zone = NULL
    WHERE a.user_id = p_user AND NOT EXISTS (SELECT FROM spending_limit l WHERE l.user_id = p_user);
$$;

-- Stops one app of a user, or all apps (p_partner ''): admission refuses their requests until the user resumes them.
-- False if they were stopped before, or if the user does not use the app.
CREATE OR REPLACE FUNCTION ledger_stop(p_user text, p_partner text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  zone text;
  now_at timestamptz;
BEGIN
  SELECT coalesce(a.limits_zone, 'UTC') INTO zone FROM wallet a WHERE a.user_id = p_user FOR UPDATE;
  IF zone IS NULL OR p_partner <> '' AND NOT EXISTS (
    SELECT FROM user_app WHERE user_id = p_user AND partner_id = p_partner) THEN
    RETURN false;
  END IF;
  now_at := ledger_clock();
  UPDATE wallet SET limits_zone = zone WHERE user_id = p_user;
  -- It counts from now on, as nothing is limited; a limit that is saved later adds up its periods.
  INSERT INTO spending_limit AS l (user_id, partner_id, stopped_at, day_starts, day_ends, week_starts, week_ends,
      month_starts, month_ends)
    VALUES (p_user, p_partner, now_at, now_at, ledger_period_end('day', zone, now_at), now_at,
      ledger_period_end('week', zone, now_at), now_at, ledger_period_end('month', zone, now_at))
    ON CONFLICT (user_id, partner_id) DO UPDATE SET stopped_at = now_at WHERE l.stopped_at IS NULL;
  RETURN FOUND;
END $$;

-- Ends a stop. False if there was none.
CREATE OR REPLACE FUNCTION ledger_resume_spending(p_user text, p_partner text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  was_stopped boolean;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  UPDATE spending_limit SET stopped_at = NULL WHERE user_id = p_user AND partner_id = p_partner AND stopped_at IS NOT NULL;
  was_stopped := FOUND;
  PERFORM ledger_forget_limits(p_user, p_partner);
  RETURN was_stopped;
END $$;

-- Adds an overrun to the sums of the user and the app, and pauses those whose sum passes the limit: admission
-- then returns 'paused_for_review' until an operator resumes them (ledger_resume_user). A sum covers the 24 hours from
-- its first overrun. Returns who was paused by this one: 'user', 'app', 'user and app' or null. The caller has
-- locked the wallet.
CREATE OR REPLACE FUNCTION ledger_count_overrun(
  p_user text, p_partner text, p_overrun bigint, p_user_limit bigint, p_app_limit bigint
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  day_ago CONSTANT timestamptz := clock_timestamp() - interval '24 hours';
  pauses_user boolean;
  pauses_app boolean;
BEGIN
  UPDATE wallet a SET
    overrun = CASE WHEN a.overrun_since > day_ago THEN a.overrun ELSE 0 END + p_overrun,
    overrun_since = CASE WHEN a.overrun_since > day_ago THEN a.overrun_since ELSE clock_timestamp() END
  WHERE a.user_id = p_user
  RETURNING a.paused_at IS NULL AND a.overrun > p_user_limit INTO pauses_user;
  IF pauses_user THEN
    UPDATE wallet SET paused_at = clock_timestamp() WHERE user_id = p_user;
  END IF;

  UPDATE partner p SET
    overrun = CASE WHEN p.overrun_since > day_ago THEN p.overrun ELSE 0 END + p_overrun,
    overrun_since = CASE WHEN p.overrun_since > day_ago THEN p.overrun_since ELSE clock_timestamp() END
  WHERE p.id = p_partner
  RETURNING p.paused_at IS NULL AND p.overrun > p_app_limit INTO pauses_app;
  IF pauses_app THEN
    UPDATE partner SET paused_at = clock_timestamp() WHERE id = p_partner;
  END IF;

  RETURN nullif(concat_ws(' and ', CASE WHEN pauses_user THEN 'user' END, CASE WHEN pauses_app THEN 'app' END), '');
END $$;

-- Records a call that a provider billed, or may have billed, and that no user was charged for. Recorded once. Losses that
-- a user may have caused add to the overruns (ledger_count_overrun); an outage of a provider or of an instance pauses nobody.
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
  IF NOT FOUND OR p_reason IN ('timeout', 'connection_lost', 'instance_died', 'failed_job') THEN
    RETURN NULL;
  END IF;
  RETURN ledger_count_overrun(p_user, p_partner, p_cost, p_user_limit, p_app_limit);
END $$;

-- Ends the pause of a user, and resets the sum of overruns. False if there was no pause.
CREATE OR REPLACE FUNCTION ledger_resume_user(p_user text) RETURNS boolean LANGUAGE sql AS $$
  WITH resumed AS (
    UPDATE wallet SET overrun = 0, overrun_since = NULL, paused_at = NULL
    WHERE user_id = p_user AND paused_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM resumed)
$$;

-- Ends the pause of an app, and resets the sum of its overruns. False if there was no pause.
CREATE OR REPLACE FUNCTION ledger_resume_partner(p_partner text) RETURNS boolean LANGUAGE sql AS $$
  WITH resumed AS (
    UPDATE partner SET overrun = 0, overrun_since = NULL, paused_at = NULL
    WHERE id = p_partner AND paused_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM resumed)
$$;

-- The highest threshold of a warning that was reached: 50, 80 or 100%; NULL below the first one. What is left below the
-- minimum balance (p_minimum) lets no request through, so the whole is used up then.
CREATE OR REPLACE FUNCTION ledger_reached_percent(p_spent bigint, p_whole bigint, p_minimum bigint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN p_spent <= 0 THEN NULL
  WHEN p_whole - p_spent < p_minimum OR p_spent >= p_whole THEN 100
  WHEN p_spent >= p_whole * 0.8 THEN 80
  WHEN p_spent >= p_whole * 0.5 THEN 50
END;

-- Whether any candidate meets all data rules. Called only where there are some: it is not inlined.
CREATE OR REPLACE FUNCTION ledger_meets_rules(p_policies text, p_rules smallint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT EXISTS (SELECT 1 FROM unnest(p_policies::smallint[]) AS c (met) WHERE c.met & p_rules = p_rules)
$$;
