-- A paid request: what a balance allows, admission, the hold, and the settlement.

-- Returns a partner's balance for a user and whether `p_need` could be spent, with the same rules as for a
-- request. `limited_by` is the scope of a limit that prevents it: app or all for one of the user, or a stop; partner.
CREATE OR REPLACE FUNCTION ledger_read(p_user text, p_partner text, p_need bigint)
RETURNS TABLE (balance bigint, status text, limited_by text, money bigint, held bigint, allowance_saved bigint, allowance_left bigint)
LANGUAGE sql STABLE AS $$
  SELECT greatest(0, spendable),
         CASE WHEN NOT paused AND l.refusal IS NOT NULL THEN 'partner_limit_reached'
           ELSE ledger_status(paused, spendable, ledger_idle(u, a.money), a.money, u.allowance_saved, p_need) END,
         CASE WHEN NOT paused THEN split_part(l.refusal, '_', 3) END,
         a.money, a.held, u.allowance_saved, u.allowance_left
  FROM wallet a
  JOIN user_app u ON u.user_id = a.user_id AND u.partner_id = p_partner
  -- Credits outside any app have no partner.
  LEFT JOIN partner p ON p.id = p_partner
  LEFT JOIN LATERAL (
    SELECT l.free, l.refusal FROM 
      ledger_limits(p_user, p_partner, a.limits_zone, p.limits_users IS TRUE, NULL, NULL, p_need, a.held, NULL) l
    WHERE a.limits_zone IS NOT NULL OR p.limits_users) l ON true
  CROSS JOIN LATERAL (SELECT
    CASE WHEN l.refusal = ANY ('{limit_stop_app,limit_stop_all}') THEN 0
      ELSE least(ledger_spendable(a.money, a.held, u.own, u.own_held, u.allowance_left), l.free) END,
    coalesce(a.paused_at, p.paused_at) IS NOT NULL) AS s (spendable, paused)
  WHERE a.user_id = p_user
$$;

-- Why a user key may not be used for a request, or null. The client IP or the origin of the request is null if
-- it is not known, which no restriction accepts. Null and empty lists restrict nothing. Written so that
-- PostgreSQL inlines it: the IP address is parsed only if there are networks to compare it with.
CREATE OR REPLACE FUNCTION ledger_key_restriction(
  key_origins text[], key_networks inet[], app_networks inet[], origin text, client_ip text
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN cardinality(app_networks) > 0 AND (client_ip::inet <<= ANY (app_networks)) IS NOT TRUE THEN 'app_networks'
    WHEN cardinality(key_networks) > 0 AND (client_ip::inet <<= ANY (key_networks)) IS NOT TRUE THEN 'key_networks'
    WHEN cardinality(key_origins) > 0 AND (origin = ANY (key_origins)) IS NOT TRUE THEN 'key_origins'
  END
$$;

-- Admits and settles requests in one round trip and one commit. The arguments are columns: s_… of the
-- settlements, a_… of the admissions. `n` in the result numbers the settlements from 1 and continues with the
-- admissions.
--
-- All wallets are locked first, in one order, so that concurrent calls do not deadlock. Settlements precede
-- admissions, so that the credits they free can be spent. Each call admits at most one request per user: further
-- admissions return 'again' and belong in a later call. Simple settlements are made all at once. `s_turn` numbers the
-- settlements of one user from 1, and of those that are not simple, each finds the ones before it done. A settlement
-- without a charge releases its hold. `a_need`, `a_want` and `a_enough` are exact picocredits before commission: a hold beyond
-- `a_enough` leaves as much as it takes, for requests at the same time. `a_ceiling` is the most that the request may hold, null
-- for no ceiling. A settlement that
-- costs more than its hold may pause the user or the app: `pauses` says which (see ledger_count_overrun). A difference of
-- one microcredit is rounding.
--
-- A hold with the flag `kept` outlives its request, for the next one of the same key: see "Kept holds" in
-- docs/ledger.md. `s_hold` is the hold that a request ran in. `s_held` is the part of a kept hold that the request may
-- take; null releases the hold in any case.
-- `a_hold` is the hold that a request would use: it is only read, and if anything is unusual, the outcome is
-- 'make_hold'. Without `a_hold`, the request makes a hold, kept if `a_keep` allows it.
--
-- A request that draws on budgets (ledger_budgets), of its key or of the run `a_run`, names them in its hold, which is never kept.
--
-- The limits of a user and of a partner (ledger_limits) cost others nothing: `wallet.limits_zone` is null and
-- `partner.limits_users` false, and no further row is read. Under a limit, no hold is kept. What a user spends in an app is
-- counted for all, in a row that is written anyway, so that a limit that is set later knows it. The outcome names a limit that refuses a request, and `amount` is when it resets.
--
-- A provider that a request may be sent to meets the rules of the operator, the app and the user: the row names them, and
-- `a_policies` what each candidate meets (server/base/data-rules.ts), as the text of an array.
--
-- Planning these statements takes longer than running them, so each connection plans them once. The plan must
-- therefore be right for tables of any size: every row is found by an index in a nested loop, in the order
-- written (OFFSET 0), because the settings below disable all other plans. Bitmap scans are disabled because
-- the planner used them for single rows while the tables looked small. They take three times the work of an
-- index scan, and a call to the file system each.
CREATE OR REPLACE FUNCTION ledger_batch(
  s_turn integer[], s_user text[], s_request text[], s_hold text[], s_held bigint[], s_cost bigint[], s_charge bigint[],
  s_model text[], s_provider text[], s_price_version text[],
  s_input integer[], s_cache_read integer[], s_cache_write integer[], s_cache_write_1h integer[],
  s_output integer[], s_reasoning integer[], s_web_searches integer[], s_input_units integer[], s_output_units integer[], s_estimated boolean[], s_cost_reported boolean[], s_outcome text[],
  s_attempts jsonb[], s_data_rules smallint[],
  a_key_hash bytea[], a_request text[], a_model text[], a_need numeric[], a_want numeric[], a_enough numeric[],
  a_client_ip text[], a_origin text[], a_hold text[], a_keep boolean[], a_patient boolean[], a_ceiling bigint[],
  a_run text[], a_run_credits bigint[], a_policies text[],
  p_minimum bigint, p_max_running integer, p_lease interval, p_user_overrun bigint, p_app_overrun bigint,
  p_data_rules smallint
) RETURNS TABLE (
  n integer, outcome text, user_id text, partner_id text, key_id text, app_user_id text, rate_bp integer, amount bigint,
  balance bigint, pauses text, kept boolean, budgets text[], data_rules smallint
)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_memoize = off
SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  settling CONSTANT integer := cardinality(s_user);
  turns CONSTANT integer := coalesce((SELECT max(turn) FROM unnest(s_turn) AS s (turn)), -1);
  settling_kept CONSTANT integer := cardinality(array_remove(s_held, NULL));
  making CONSTANT boolean := array_position(a_hold, NULL) IS NOT NULL;
  using_kept CONSTANT boolean := cardinality(array_remove(a_hold, NULL)) > 0;
  a_user text[];
  -- Whether any admission draws on budgets, and what these allow each one: `a_budgets` names them as text, null for none.
  budgeting boolean := false;
  a_budgets text[];
  a_free bigint[];
  a_busy boolean[];
  a_refusal text[];
  a_remaining bigint[];
  settled integer := 0;
  rows_of_turn integer;
  now_at timestamptz;
  today date;
  month_starts date;
BEGIN
  -- Lock the wallets. Requests in kept holds only read.
  IF making THEN
    SELECT array_agg(k.user_id), bool_or(k.lineage <> '{}' OR r.run IS NOT NULL) INTO a_user, budgeting
    FROM unnest(a_key_hash, a_hold, a_run) AS r (key_hash, hold_id, run)
    LEFT JOIN LATERAL (
      SELECT k.user_id, k.lineage FROM user_key k WHERE k.hash = r.key_hash AND r.hold_id IS NULL OFFSET 0) k ON true;
  END IF;
  IF settling > 0 OR making THEN
    PERFORM 1 FROM (SELECT DISTINCT w.user_id FROM unnest(s_user || a_user) AS w (user_id) ORDER BY 1) w
    CROSS JOIN LATERAL (SELECT 1 FROM wallet a WHERE a.user_id = w.user_id FOR UPDATE OF a) a;
  END IF;

  FOR current_turn IN 0..turns LOOP
    -- After the locks: a batch that waited for one past midnight is booked on the new day, as others may have been by then. What
    -- limits count is booked at the same instant, so that it can be audited.
    now_at := ledger_clock();
    today := timezone('UTC', now_at)::date;
    month_starts := date_trunc('month', today::timestamp);

    IF current_turn = 0 THEN
      CONTINUE WHEN settling_kept = 0;
      -- Settle the simple ones: a kept hold covers it and stays as it is, and bought credits of the app's own pocket pay.
      -- Of one user, either all are simple or none, because each affects the next. They are booked in order.
      RETURN QUERY
      WITH found AS (
        SELECT r.n, r.user_id, r.request_id, r.held, r.cost, r.charge, h.partner_id, h.key_id, h.rate_bp, h.amount AS kept_amount,
          a.money, a.held AS money_held, a.running, u.own, u.own_held, u.allowance_left,
          (sum(r.charge) OVER (PARTITION BY r.user_id ORDER BY h.partner_id, r.n))::bigint AS spent,
          (sum(r.charge) OVER (PARTITION BY r.user_id, h.partner_id ORDER BY r.n))::bigint AS own_spent,
          h.kept AND greatest(r.cost, r.charge) <= r.held AND r.held <= h.amount AND u.own_granted = 0
            AND a.limits_zone IS NULL AS is_usual
        FROM unnest(s_user, s_request, s_hold, s_held, s_cost, s_charge) WITH ORDINALITY
          AS r (user_id, request_id, hold_id, held, cost, charge, n)
        CROSS JOIN LATERAL (
          SELECT h.partner_id, h.key_id, h.amount, h.rate_bp, h.kept
          FROM hold h WHERE h.user_id = r.user_id AND h.request_id = r.hold_id OFFSET 0) h
        CROSS JOIN LATERAL (
          SELECT u.own, u.own_held, u.own_granted, u.allowance_left FROM user_app u
          WHERE u.user_id = r.user_id AND u.partner_id = h.partner_id OFFSET 0) u
        CROSS JOIN LATERAL (SELECT a.money, a.held, a.running, a.limits_zone FROM wallet a WHERE a.user_id = r.user_id OFFSET 0) a
        WHERE r.held IS NOT NULL AND r.charge IS NOT NULL AND array_position(s_request, r.request_id) = r.n AND NOT EXISTS (
          SELECT 1 FROM (
            SELECT t.user_id FROM ledger_transaction t WHERE t.id = 'txn_' || substr(r.request_id, 5) OFFSET 0) t
          WHERE t.user_id = r.user_id)
      ),
      judged AS (
        SELECT f.n, f.user_id, f.request_id, f.held, f.cost, f.charge, f.partner_id, f.key_id, f.rate_bp,
          ledger_spendable(f.money - f.spent, f.money_held - f.kept_amount, f.own - f.own_spent, f.own_held - f.kept_amount,
            f.allowance_left) AS balance,
          bool_and(f.is_usual AND ledger_keeps(
            f.kept_amount, least(f.own - f.own_held - f.own_spent, f.money - f.money_held - f.spent), f.running, p_max_running
          )) OVER (PARTITION BY f.user_id) AS all_stay
        FROM found f
      ),
      settled AS (
        SELECT j.n, j.user_id, j.request_id, j.held, j.cost, j.charge, j.partner_id, j.key_id, j.rate_bp, j.balance
        FROM judged j WHERE j.all_stay
      ),
      take_own AS (
        UPDATE user_app u SET
          own = u.own - s.spent,
          spent_on = greatest(u.spent_on, today),
          day_spent = s.spent + CASE WHEN u.spent_on >= today THEN u.day_spent ELSE 0 END,
          month_spent = s.spent + CASE WHEN u.spent_on >= month_starts THEN u.month_spent ELSE 0 END
        FROM (SELECT s.user_id, s.partner_id, sum(s.charge)::bigint AS spent FROM settled s GROUP BY 1, 2) s
        WHERE u.user_id = s.user_id AND u.partner_id = s.partner_id
      ),
      take_money AS (
        UPDATE wallet a SET money = a.money - s.spent
        FROM (SELECT s.user_id, sum(s.charge)::bigint AS spent FROM settled s GROUP BY 1) s
        WHERE a.user_id = s.user_id
      ),
      insert_transaction AS (
        INSERT INTO ledger_transaction (user_id, id, partner_id, kind, credits, balance_after,
          key_id, held, rate_bp, provider_cost, partner_share, model, provider, price_version,
          input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
          web_searches, input_units, output_units, estimated, cost_reported, outcome, attempts, data_rules, created_at)
        SELECT s.user_id, 'txn_' || substr(s.request_id, 5), s.partner_id, 'usage', -s.charge, s.balance,
          s.key_id, s.held, s.rate_bp, s.cost, s.charge - s.cost, s_model[s.n], s_provider[s.n], s_price_version[s.n],
          s_input[s.n], s_cache_read[s.n], s_cache_write[s.n], s_cache_write_1h[s.n], s_output[s.n], s_reasoning[s.n],
          s_web_searches[s.n], s_input_units[s.n], s_output_units[s.n], s_estimated[s.n], s_cost_reported[s.n], s_outcome[s.n], s_attempts[s.n], s_data_rules[s.n],
          now_at - (settling - s.n) * interval '1 microsecond'
        FROM settled s
      )
      SELECT s.n::integer, 'settled', NULL::text, NULL::text, NULL::text, NULL::text, NULL::integer, s.charge, s.balance,
        NULL::text, true, NULL::text[], NULL::smallint
      FROM settled s;
    ELSE
      -- Settle the others: delete the hold unless it is kept, move the credits, write the transaction, which is also the
      -- receipt. A request that is already booked changes nothing: its hold may belong to another one by now.
      RETURN QUERY
      WITH ended AS (
        SELECT r.n, r.user_id, r.request_id, r.cost, r.charge, r.hold_id, h.partner_id, h.key_id, h.epoch, h.rate_bp, h.limited, h.budgets,
          least(r.held, h.amount) AS held, t.take, u.own AS own_before, u.own_granted AS granted_before, w.own_wanted, k.stays,
          CASE WHEN k.stays THEN h.amount ELSE 0 END AS kept_amount,
          CASE WHEN k.stays THEN 0 ELSE h.amount END AS freed,
          CASE WHEN k.stays THEN 0 ELSE h.own_part END AS own_freed
        FROM unnest(s_turn, s_user, s_request, s_hold, s_held, s_cost, s_charge) WITH ORDINALITY
          AS r (turn, user_id, request_id, hold_id, held, cost, charge, n)
        CROSS JOIN LATERAL (
          SELECT h.user_id, h.partner_id, h.key_id, h.amount, h.own_part, h.epoch, h.rate_bp, h.kept, h.limited, h.budgets
          FROM hold h WHERE h.user_id = r.user_id AND h.request_id = r.hold_id OFFSET 0) h
        CROSS JOIN LATERAL (
          SELECT u.own, u.own_held, u.own_granted FROM user_app u
          WHERE u.user_id = h.user_id AND u.partner_id = h.partner_id OFFSET 0) u
        CROSS JOIN LATERAL (SELECT a.money, a.held, a.running, a.limits_zone FROM wallet a WHERE a.user_id = h.user_id OFFSET 0) a
        CROSS JOIN LATERAL (SELECT least(coalesce(r.charge, 0), r.held, h.amount)) AS t (take)
        -- The partner's own pocket pays first: the part held there, then what is free in it.
        CROSS JOIN LATERAL (SELECT least(t.take, greatest(h.own_part, u.own - u.own_held + h.own_part))) AS w (own_wanted)
        CROSS JOIN LATERAL (SELECT h.kept AND r.held IS NOT NULL AND r.charge IS NOT NULL AND a.limits_zone IS NULL
          AND ledger_keeps(h.amount, least(u.own - u.own_held, a.money - a.held) - t.take, a.running, p_max_running)) AS k (stays)
        -- By its id: before the first ANALYZE, the planner prefers the index of a user's history.
        WHERE r.turn = current_turn AND NOT EXISTS (
          SELECT 1 FROM (
            SELECT t.user_id FROM ledger_transaction t WHERE t.id = 'txn_' || substr(r.request_id, 5) OFFSET 0) t
          WHERE t.user_id = r.user_id)
      ),
      delete_hold AS (
        DELETE FROM hold h USING ended e
        WHERE NOT e.stays AND h.user_id = e.user_id AND h.request_id = e.hold_id
      ),
      take_own AS (
        UPDATE user_app u SET
          own = u.own - s.own_take,
          own_granted = u.own_granted - least(greatest(0, u.own_granted), s.own_take),
          own_held = u.own_held - s.own_freed,
          spent_on = greatest(u.spent_on, today),
          day_spent = s.take + CASE WHEN u.spent_on >= today THEN u.day_spent ELSE 0 END,
          month_spent = s.take + CASE WHEN u.spent_on >= month_starts THEN u.month_spent ELSE 0 END,
          allowance_left = u.allowance_left
            + CASE WHEN s.epoch = u.epoch THEN (s.freed - s.own_freed) - greatest(0, s.take - s.own_wanted) ELSE 0 END
        FROM (
          -- If a refund took credits that were held, no pocket may cover the remainder: it becomes a debt of
          -- the partner's own pocket.
          SELECT d.*, CASE WHEN d.drawn IS NULL THEN d.take ELSE d.take + ledger_sum(d.drawn) END AS own_take
          FROM (
            SELECT e.*, CASE WHEN e.take > e.own_wanted THEN ledger_draw(e.user_id, e.partner_id, e.take - e.own_wanted) END AS drawn
            FROM ended e
          ) AS d
        ) AS s
        WHERE u.user_id = s.user_id AND u.partner_id = s.partner_id
        RETURNING s.n, s.user_id, s.request_id, s.hold_id, s.partner_id, s.key_id, s.rate_bp, s.limited, s.budgets, s.held, s.kept_amount, s.freed, s.stays, s.cost, s.charge, s.take, s.own_take, s.drawn,
          u.own, u.own_held, u.allowance_left,
          CASE WHEN s.epoch = u.epoch AND s.take > s.own_wanted THEN s.take - s.own_wanted END AS allowance_spent,
          least(greatest(0, s.granted_before), s.own_take) AS own_granted_take,
          -- The amount beyond the credits that were bought: a refund or dispute took them while the request ran.
          greatest(0, u.own_granted - u.own) - greatest(0, s.granted_before - s.own_before) AS unpaid
      ),
      booked AS (
        UPDATE wallet a SET money = a.money - o.take, held = a.held - o.freed,
          running = a.running - CASE WHEN o.stays THEN 0 ELSE 1 END
        FROM take_own o WHERE a.user_id = o.user_id
        RETURNING o.n, o.user_id, o.request_id, o.partner_id, o.key_id, o.rate_bp, o.held, o.stays, o.cost, o.charge, o.take, o.own_take, o.drawn,
          o.allowance_spent, o.own_granted_take, o.unpaid,
          greatest(0, least(
            ledger_spendable(a.money, a.held - o.kept_amount, o.own, o.own_held - o.kept_amount, o.allowance_left),
            CASE WHEN a.limits_zone IS NOT NULL OR o.limited
              THEN ledger_count_spent(o.user_id, o.partner_id, a.limits_zone, o.limited, now_at, o.take, a.held, o.hold_id) END)) AS balance,
          -- The partner earns the part of the payment above the provider cost. The remainder of that cost is our
          -- loss.
          least(o.charge - o.cost, greatest(0, o.take - o.cost)) AS partner_share,
          CASE WHEN o.budgets IS NOT NULL
            THEN ledger_settle_budgets(o.user_id, o.budgets, o.freed, o.take, o.charge IS NOT NULL) END AS budgets_settled
      ),
      insert_transaction AS (
        INSERT INTO ledger_transaction (user_id, id, partner_id, kind, credits, balance_after, allowance_spent, postings,
          key_id, held, rate_bp, provider_cost, partner_share, model, provider, price_version,
          input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
          web_searches, input_units, output_units, estimated, cost_reported, outcome, attempts, data_rules, created_at)
        SELECT b.user_id, 'txn_' || substr(b.request_id, 5), b.partner_id, 'usage', -b.take, b.balance, b.allowance_spent,
          -- Most requests spend bought credits of their own pocket: their postings follow from the columns (ledger_entries).
          CASE WHEN b.own_granted_take <> 0 OR b.drawn IS NOT NULL THEN
            ledger_settlement_postings(b.partner_id, b.own_take, b.own_granted_take, b.drawn, b.cost, b.partner_share) END,
          b.key_id, b.held, b.rate_bp, b.cost, b.partner_share, s_model[b.n], s_provider[b.n], s_price_version[b.n],
          s_input[b.n], s_cache_read[b.n], s_cache_write[b.n], s_cache_write_1h[b.n], s_output[b.n], s_reasoning[b.n],
          s_web_searches[b.n], s_input_units[b.n], s_output_units[b.n], s_estimated[b.n], s_cost_reported[b.n], s_outcome[b.n], s_attempts[b.n], s_data_rules[b.n], now_at
        FROM booked b WHERE b.charge IS NOT NULL
      ),
      -- Runs only when a row below asks for it. Apps are locked in one order, after all wallets: no deadlock.
      count_overruns AS MATERIALIZED (
        SELECT o.n, ledger_count_overrun(o.user_id, o.partner_id, o.overrun, p_user_overrun, p_app_overrun) AS pauses
        FROM (
          SELECT b.n, b.user_id, b.partner_id, b.cost - b.held AS overrun
          FROM booked b WHERE b.cost > b.held + 1 ORDER BY b.partner_id OFFSET 0) o
      )
      SELECT b.n::integer,
        CASE WHEN b.unpaid > 0 AND b.partner_share > 0
          THEN ledger_reverse_unpaid(b.user_id, b.request_id, b.partner_id, b.own_take, b.own_granted_take, b.drawn, b.unpaid, b.partner_share)
          ELSE 'settled' END,
        NULL::text, NULL::text, NULL::text, NULL::text, NULL::integer, b.take, b.balance,
        CASE WHEN b.cost > b.held + 1 THEN (SELECT o.pauses FROM count_overruns o WHERE o.n = b.n) END, b.stays, NULL::text[], NULL::smallint
      FROM booked b;
    END IF;

    GET DIAGNOSTICS rows_of_turn = ROW_COUNT;
    settled := settled + rows_of_turn;
    EXIT WHEN settled = settling;
  END LOOP;

  -- If the response to an earlier settlement was lost, the repetition returns the amount taken then.
  IF settled < settling THEN
    RETURN QUERY
    SELECT r.n::integer, 'settled', NULL::text, NULL::text, NULL::text, NULL::text, NULL::integer,
      -t.credits, t.balance_after, NULL::text,
      EXISTS (SELECT 1 FROM hold h WHERE h.user_id = r.user_id AND h.request_id = r.hold_id), NULL::text[], NULL::smallint
    FROM unnest(s_user, s_request, s_hold) WITH ORDINALITY AS r (user_id, request_id, hold_id, n)
    CROSS JOIN LATERAL (
      SELECT t.user_id, t.credits, t.balance_after FROM ledger_transaction t
      WHERE t.id = 'txn_' || substr(r.request_id, 5)
        -- Not a receipt that this call has just booked, unless the same request is in it twice.
        AND (t.xmin <> pg_current_xact_id()::xid OR array_position(s_request, r.request_id) < r.n) OFFSET 0) t
    WHERE t.user_id = r.user_id;
  END IF;

  -- Admit: key → partner → restrictions → model → wallet → hold.
  IF using_kept THEN
    RETURN QUERY
    SELECT settling + r.n::integer, CASE WHEN k.key_id IS NULL THEN 'make_hold' ELSE 'held' END,
      k.user_id, k.partner_id, k.key_id, k.app_user_id, k.rate_bp, k.amount, NULL::bigint, NULL::text, true, NULL::text[], k.data_rules
    FROM unnest(a_key_hash, a_model, a_need, a_want, a_client_ip, a_origin, a_hold, a_ceiling, a_policies)
      WITH ORDINALITY AS r (key_hash, model, need, want, client_ip, origin, hold_id, ceiling, policies, n)
    LEFT JOIN LATERAL (
      SELECT k.key_id, k.user_id, k.partner_id, u.app_user_id, k.rate_bp, w.amount, a.data_rules
      FROM (
        SELECT k.id AS key_id, k.user_id, k.partner_id, p.rate_bp, p_data_rules | p.data_rules AS data_rules
        FROM user_key k JOIN partner p ON p.id = k.partner_id
        WHERE k.hash = r.key_hash AND ledger_key_lives(k.revoked_at, k.expires_at) AND p.disabled_at IS NULL AND p.paused_at IS NULL
          AND NOT p.limits_users AND (p.all_models OR r.model = ANY (p.allowed_models))
          AND ledger_key_restriction(k.origins, k.networks, p.key_networks, r.origin, r.client_ip) IS NULL
          AND NOT k.exact_use AND k.last_used_at > clock_timestamp() - interval '1 minute' OFFSET 0) k
      CROSS JOIN LATERAL (
        SELECT h.amount, h.rate_bp FROM hold h
        WHERE h.user_id = k.user_id AND h.request_id = r.hold_id AND h.kept AND h.key_id = k.key_id OFFSET 0) h
      CROSS JOIN LATERAL (
        SELECT a.money, a.held, k.data_rules | a.data_rules AS data_rules FROM wallet a
        WHERE a.user_id = k.user_id AND a.paused_at IS NULL AND a.limits_zone IS NULL AND a.running <= p_max_running OFFSET 0) a
      CROSS JOIN LATERAL (
        SELECT u.app_user_id, u.own, u.own_held FROM user_app u
        WHERE u.user_id = k.user_id AND u.partner_id = k.partner_id OFFSET 0) u
      CROSS JOIN LATERAL (SELECT
        least(ledger_charge(r.want, k.rate_bp), r.ceiling), least(u.own - u.own_held, a.money - a.held)) AS w (amount, free)
      -- A refund may have taken what was held.
      WHERE h.rate_bp = k.rate_bp AND h.amount >= w.amount AND (r.ceiling < ledger_charge(r.need, k.rate_bp)) IS NOT TRUE
        AND w.free >= greatest(0, p_minimum - h.amount)
        AND CASE WHEN a.data_rules = 0 THEN true ELSE ledger_meets_rules(r.policies, a.data_rules) END
    ) k ON true
    WHERE r.hold_id IS NOT NULL;
  END IF;

  -- In a statement of its own: in that of the hold, the call cost every request without budgets tens of microseconds.
  IF budgeting THEN
    SELECT array_agg(b.names::text ORDER BY r.n), array_agg(b.free ORDER BY r.n), array_agg(b.free < b.cost ORDER BY r.n),
      array_agg(b.refusal ORDER BY r.n), array_agg(b.remaining ORDER BY r.n)
      INTO a_budgets, a_free, a_busy, a_refusal, a_remaining
    FROM unnest(a_key_hash, a_need, a_hold, a_run, a_run_credits)
      WITH ORDINALITY AS r (key_hash, need, hold_id, run, run_credits, n)
    LEFT JOIN LATERAL (
      SELECT n.names, n.cost, b.free, b.refusal, b.remaining
      FROM (
        SELECT k.user_id, ledger_charge(r.need, p.rate_bp) AS cost,
          -- A run belongs to its run key, or to all ordinary keys of the app.
          CASE WHEN r.run IS NULL THEN k.lineage[2:]
            WHEN k.lineage = '{}' THEN ARRAY['run:' || k.partner_id || ':' || r.run]
            ELSE k.lineage[2:] || ('run:' || k.id || ':' || r.run) END AS names
        FROM user_key k JOIN partner p ON p.id = k.partner_id
        WHERE k.hash = r.key_hash AND (k.lineage <> '{}' OR r.run IS NOT NULL) OFFSET 0) n
      CROSS JOIN LATERAL ledger_budgets(n.user_id, n.names, r.run_credits, n.cost) b
      WHERE r.hold_id IS NULL OFFSET 0) b ON true;
  END IF;

  IF making THEN
    RETURN QUERY
    WITH judged AS (
      SELECT r.n, r.request_id, r.patient, k.key_id, k.user_id, k.partner_id, k.rate_bp, k.mark_used, k.limits_users, u.app_user_id, u.epoch,
        least(s.want_credits, m.most) AS amount, m.most < s.want_credits AS lowered, s.data_rules,
        greatest(0, u.own - u.own_held) AS own_free,
        r.keep AND a_budgets[r.n] IS NULL AND NOT k.exact_use AND a.limits_zone IS NULL AND NOT k.limits_users AND ledger_keeps(
          s.want_credits, least(u.own - u.own_held, a.money - a.held) - s.want_credits, a.running + 1, p_max_running) AS kept,
        CASE
          WHEN k.key_id IS NULL THEN 'invalid_user_key'
          WHEN array_position(a_user, k.user_id) < r.n THEN 'again'
          WHEN k.disabled THEN 'partner_disabled'
          WHEN k.restriction IS NOT NULL THEN 'restricted_to_' || k.restriction
          WHEN NOT k.model_allowed THEN 'model_not_allowed'
          WHEN s.data_rules <> 0 AND NOT ledger_meets_rules(r.policies, s.data_rules) THEN 'data_rules_not_met'
          WHEN (r.model = ANY (k.models)) IS FALSE THEN 'limit_model_key'
          WHEN NOT s.paused AND l.refusal IS NOT NULL THEN l.refusal
          WHEN NOT s.paused AND r.ceiling < ledger_charge(r.need, k.rate_bp) THEN 'limit_credits_request'
          WHEN NOT s.paused AND a_refusal[r.n] IS NOT NULL THEN a_refusal[r.n]
          WHEN NOT s.paused AND a.running >= p_max_running THEN 'too_many_running'
          WHEN NOT s.paused AND s.spendable >= s.need_credits THEN CASE WHEN a_busy[r.n] THEN 'busy' ELSE 'held' END
          ELSE (
            SELECT ledger_status(s.paused, s.spendable, ledger_idle(p, a.money), a.money, p.allowance_saved, s.need_credits)
            FROM user_app p WHERE p.user_id = k.user_id AND p.partner_id = k.partner_id)
        END AS outcome,
        coalesce(extract(epoch FROM l.resets_at)::bigint, a_remaining[r.n]) AS noted
      FROM unnest(a_key_hash, a_request, a_model, a_need, a_want, a_enough, a_client_ip, a_origin, a_hold, a_keep, a_patient, a_ceiling, a_policies)
        WITH ORDINALITY AS r (key_hash, request_id, model, need, want, enough, client_ip, origin, hold_id, keep, patient, ceiling, policies, n)
      LEFT JOIN LATERAL (
        SELECT k.id AS key_id, k.user_id, k.partner_id AS partner_id, p.rate_bp, p.disabled_at IS NOT NULL AS disabled,
          p.paused_at, p.limits_users, k.models, p.data_rules,
          p.all_models OR r.model = ANY (p.allowed_models) AS model_allowed,
          ledger_key_restriction(k.origins, k.networks, p.key_networks, r.origin, r.client_ip) AS restriction,
          -- The time of last use is exact to the minute, to avoid a write per request. It is exact if the
          -- next new key may replace the least recently used one.
          k.exact_use, k.exact_use OR k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - interval '1 minute' AS mark_used
        FROM user_key k JOIN partner p ON p.id = k.partner_id
        WHERE k.hash = r.key_hash AND ledger_key_lives(k.revoked_at, k.expires_at) OFFSET 0) k ON true
      LEFT JOIN LATERAL (
        SELECT a.money, a.held, a.running, a.paused_at, a.limits_zone, a.data_rules FROM wallet a WHERE a.user_id = k.user_id OFFSET 0) a ON true
      LEFT JOIN LATERAL (
        SELECT u.app_user_id, u.epoch, u.own, u.own_held, u.allowance_left
        FROM user_app u WHERE u.user_id = k.user_id AND u.partner_id = k.partner_id OFFSET 0) u ON true
      -- Only for users with limits of their own, and in apps with limits.
      LEFT JOIN LATERAL (
        SELECT l.free, l.per_request, l.refusal, l.resets_at
        FROM (SELECT ledger_charge(r.need, k.rate_bp) AS cost OFFSET 0) c CROSS JOIN LATERAL
          ledger_limits(k.user_id, k.partner_id, a.limits_zone, k.limits_users, r.model, c.cost, CASE WHEN r.want = 0 THEN 0 ELSE greatest(p_minimum, c.cost) END, a.held, NULL) l
        WHERE a.limits_zone IS NOT NULL OR k.limits_users OFFSET 0) l ON true
      CROSS JOIN LATERAL (SELECT
        least(ledger_spendable(a.money, a.held, u.own, u.own_held, u.allowance_left), l.free),
        -- What costs nothing needs no credits.
        CASE WHEN r.want = 0 THEN 0 ELSE greatest(p_minimum, ledger_charge(r.need, k.rate_bp)) END,
        least(ledger_charge(r.want, k.rate_bp), l.per_request, r.ceiling, a_free[r.n]),
        ledger_charge(coalesce(r.enough, r.want), k.rate_bp),
        -- OFFSET: each is computed once, not wherever it is used.
        coalesce(a.paused_at, k.paused_at) IS NOT NULL, p_data_rules | k.data_rules | a.data_rules OFFSET 0)
        AS s (spendable, need_credits, want_credits, enough_credits, paused, data_rules)
      CROSS JOIN LATERAL (SELECT
        least(s.spendable, greatest(s.need_credits, s.enough_credits, s.spendable / 2))) AS m (most)
      WHERE r.hold_id IS NULL
    ),
    -- Kept holds are included in `running`. If one may be in the way, the caller returns the idle ones and asks again.
    decided AS (
      SELECT j.n, j.request_id, j.key_id, j.user_id, j.partner_id, j.rate_bp, j.mark_used, j.limits_users, j.app_user_id, j.epoch,
        j.own_free, j.kept, j.data_rules, coalesce(w.holds, j.noted, j.amount) AS amount,
        CASE WHEN w.holds IS NULL THEN j.outcome WHEN j.outcome = 'held' THEN 'lowered_by_kept' ELSE 'refused_by_kept' END AS outcome
      FROM judged j
      LEFT JOIN LATERAL (
        SELECT count(*) AS holds FROM hold h
        WHERE j.patient AND (j.outcome IN ('busy', 'too_many_running')
            OR j.outcome = 'held' AND (j.lowered OR j.amount > j.own_free))
          AND h.user_id = j.user_id AND h.kept HAVING count(*) > 0) w ON true
    ),
    reserve_money AS (
      UPDATE wallet a SET held = a.held + h.amount, running = a.running + 1
      FROM decided h WHERE h.outcome = 'held' AND a.user_id = h.user_id
    ),
    reserve_pocket AS (
      UPDATE user_app u SET
        own_held = u.own_held + least(h.amount, h.own_free),
        allowance_left = u.allowance_left - greatest(0, h.amount - h.own_free)
      FROM decided h WHERE h.outcome = 'held' AND u.user_id = h.user_id AND u.partner_id = h.partner_id
    ),
    mark_used AS (
      UPDATE user_key k SET last_used_at = clock_timestamp()
      FROM decided h WHERE h.outcome = 'held' AND h.mark_used AND k.id = h.key_id
    ),
    insert_hold AS (
      INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until, kept, limited, budgets)
      SELECT h.user_id, h.request_id, h.partner_id, h.key_id, h.amount, least(h.amount, h.own_free), h.epoch, h.rate_bp,
        clock_timestamp() + p_lease, h.kept, h.limits_users, a_budgets[h.n]::text[]
      FROM decided h WHERE h.outcome = 'held'
    )
    SELECT settling + d.n::integer, d.outcome, d.user_id, d.partner_id, d.key_id, d.app_user_id, d.rate_bp, d.amount,
      NULL::bigint, NULL::text, d.kept, a_budgets[d.n]::text[], d.data_rules
    FROM decided d;
  END IF;

  IF budgeting THEN
    PERFORM ledger_reserve_budgets(h.user_id, h.partner_id, h.budgets, r.run_credits, h.amount)
    FROM unnest(a_user, a_request, a_run_credits) AS r (user_id, request_id, run_credits)
    CROSS JOIN LATERAL (
      SELECT h.user_id, h.partner_id, h.budgets, h.amount FROM hold h
      WHERE h.user_id = r.user_id AND h.request_id = r.request_id AND h.budgets IS NOT NULL OFFSET 0) h;
  END IF;
END $$;

-- The postings of a settled request. `p_drawn` are those of other pockets (ledger_draw). Granted credits earn no
-- commission: their part of the partner's share returns to where they came from. Not inlined: it would enlarge
-- the plan of every batch.
CREATE OR REPLACE FUNCTION ledger_settlement_postings(
  p_partner text, p_own_take bigint, p_own_granted bigint, p_drawn jsonb, p_cost bigint, p_share bigint
) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  take bigint;
  granted bigint;
  withheld bigint;
BEGIN
  SELECT p_own_take - coalesce(sum(p.amount), 0), p_own_granted - coalesce(sum(p.granted), 0) INTO take, granted
    FROM jsonb_to_recordset(coalesce(p_drawn, '[]')) AS p (amount bigint, granted bigint);
  withheld := ledger_part(p_share, granted, take);
  RETURN ledger_pocket_posting(p_partner, -p_own_take, -p_own_granted) || ledger_posting('provider_cost', '', p_cost)
    || ledger_posting('partner_earnings', p_partner, p_share - withheld) || ledger_posting('promotion_expense', '', withheld)
    || ledger_posting('overrun_loss', '', take - p_cost - p_share) || coalesce(p_drawn, '[]');
END $$;

-- Reverses the commission on the credits that a request took although they are no longer there (`p_unpaid`), like
-- any other (ledger_match_earnings). Returns the outcome of the settlement.
CREATE OR REPLACE FUNCTION ledger_reverse_unpaid(
  p_user text, p_request text, p_partner text, p_own_take bigint, p_own_granted bigint, p_drawn jsonb, p_unpaid bigint, p_share bigint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  request CONSTANT text := 'txn_' || substr(p_request, 5);
  earned bigint;
  bought bigint;
  unearned bigint;
BEGIN
  SELECT coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0),
         coalesce(sum(coalesce(p.granted, 0) - p.amount) FILTER (WHERE p.account = 'pocket'), 0) INTO earned, bought
    FROM jsonb_to_recordset(ledger_settlement_postings(p_partner, p_own_take, p_own_granted, p_drawn, 0, p_share))
      AS p (account text, amount bigint, granted bigint);
  unearned := ledger_part(earned, p_unpaid, bought);
  IF unearned > 0 THEN
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, note, postings)
      VALUES (p_user, 'txn_' || substr(md5(request || ':1'), 1, 22), p_partner, 'earnings_reversal', request || ':1', 0, 0, request,
        ledger_postings('partner_earnings', p_partner, -unearned, 'chargeback_loss'));
  END IF;
  RETURN 'settled';
END $$;

-- Makes the hold of a running request again, after another instance took this one for dead and released it. The hold is
-- at most what the app can still spend. Returns its amount; null if nothing is left, or the request is already booked.
CREATE OR REPLACE FUNCTION ledger_remake_hold(
  p_user text, p_request text, p_partner text, p_key text, p_amount bigint, p_rate_bp integer, p_lease interval,
  p_budgets text[]
) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  made hold;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until, budgets)
  SELECT p_user, p_request, p_partner, p_key, s.amount, least(s.amount, s.own_free), s.epoch, p_rate_bp, clock_timestamp() + p_lease, p_budgets
  FROM (
    SELECT u.epoch, greatest(0, u.own - u.own_held) AS own_free,
      least(p_amount, b.free, ledger_spendable(w.money, w.held, u.own, u.own_held, u.allowance_left)) AS amount
    FROM wallet w JOIN user_app u ON u.user_id = w.user_id CROSS JOIN LATERAL ledger_budgets(p_user, p_budgets, NULL, 0) b
    WHERE b.refusal IS NULL AND w.user_id = p_user AND u.partner_id = p_partner
  ) s
  WHERE s.amount > 0 AND NOT EXISTS (
    SELECT 1 FROM ledger_transaction t WHERE t.user_id = p_user AND t.id = 'txn_' || substr(p_request, 5))
  ON CONFLICT DO NOTHING
  RETURNING * INTO made;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF p_budgets IS NOT NULL THEN
    PERFORM ledger_reserve_budgets(p_user, p_partner, p_budgets, NULL, made.amount);
  END IF;
  UPDATE wallet SET held = held + made.amount, running = running + 1 WHERE user_id = p_user;
  UPDATE user_app SET own_held = own_held + made.own_part, allowance_left = allowance_left - (made.amount - made.own_part)
  WHERE user_id = p_user AND partner_id = p_partner;
  RETURN made.amount;
END $$;

-- Extends the leases of running requests and stores what was metered so far. Such a hold is no longer kept: what was
-- metered belongs to this request. p_requests: [{user_id, request_id, hold_id, held, cost, charge, receipt}].
CREATE OR REPLACE FUNCTION ledger_renew(p_requests json, p_lease interval) RETURNS void LANGUAGE sql AS $$
  UPDATE hold h SET lease_until = clock_timestamp() + p_lease, kept = false, metered_request = r.request_id, metered_held = r.held,
    metered_cost = r.cost, metered_charge = r.charge, metered_receipt = r.receipt
  FROM json_to_recordset(p_requests)
    AS r (user_id text, request_id text, hold_id text, held bigint, cost bigint, charge bigint, receipt jsonb)
  WHERE h.user_id = r.user_id AND h.request_id = r.hold_id
$$;

-- Holds whose lease has expired because their instance died, or is paused. At most one per user, as settlement requires.
-- `p_own` are the holds that the calling instance uses: their renewal is only late.
CREATE OR REPLACE FUNCTION ledger_abandoned(p_limit integer, p_own text[])
RETURNS TABLE (user_id text, hold_id text)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (h.user_id) h.user_id, h.request_id
  FROM hold h WHERE h.lease_until < clock_timestamp() AND h.request_id <> ALL (p_own)
  ORDER BY h.user_id LIMIT p_limit
$$;
