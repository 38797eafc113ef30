-- The ledger's rules, by hand: what Prisma's schema cannot say.
--
-- Whatever writes money locks the user's account row first, in user order. Each
-- statement of a function sees what was committed before it began, so whatever is read after
-- that lock is the newest state of all of the user's rows.

-- ── Constraints: a second, independent statement of the rules ────────────────────────────────

ALTER TABLE "wallet"
  ADD CONSTRAINT "wallet_held_not_negative" CHECK ("held" >= 0),
  ADD CONSTRAINT "wallet_running_not_negative" CHECK ("running" >= 0);

ALTER TABLE "user_app"
  ADD CONSTRAINT "user_app_own_held_not_negative" CHECK ("own_held" >= 0),
  ADD CONSTRAINT "user_app_allowance_left_not_negative" CHECK ("allowance_left" >= 0),
  ADD CONSTRAINT "user_app_allowance_saved_not_negative" CHECK ("allowance_saved" >= 0);

ALTER TABLE "hold"
  ADD CONSTRAINT "hold_amount_not_negative" CHECK ("amount" >= 0),
  ADD CONSTRAINT "hold_own_part_within_amount" CHECK ("own_part" BETWEEN 0 AND "amount");

-- A loop, because a query here would be parsed again for every row that is checked.
CREATE FUNCTION ledger_sum(postings jsonb) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  total bigint := 0;
BEGIN
  FOR i IN 0 .. jsonb_array_length(postings) - 1 LOOP
    total := total + (postings -> i ->> 'amount')::bigint;
  END LOOP;
  RETURN total;
END $$;

ALTER TABLE "ledger_transaction"
  ADD CONSTRAINT "ledger_transaction_kind_known"
  CHECK ("kind" IN ('purchase', 'usage', 'permission', 'refund', 'adjustment', 'earnings_reversal')),
  ADD CONSTRAINT "ledger_transaction_sums_to_zero" CHECK (ledger_sum("postings") = 0);

-- The postings one by one, as an accountant reads them.
CREATE VIEW "ledger_entry" AS
  SELECT t.user_id, t.id AS transaction_id, p.account, p.partner_id, p.amount, t.created_at
  FROM ledger_transaction t
  CROSS JOIN LATERAL jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint);

ALTER TABLE "partner" ADD CONSTRAINT "partner_rate_within_bounds" CHECK ("rate_bp" BETWEEN 0 AND 10000);

ALTER TABLE "checkout_session"
  ADD CONSTRAINT "checkout_session_status_known"
  CHECK ("status" IN ('open', 'processing', 'completed', 'failed', 'expired')),
  ADD CONSTRAINT "checkout_session_amount_positive" CHECK ("amount_minor" > 0 AND "credits" > 0);

-- The same cause is booked once. A request's transaction has the request's own id: its primary key
-- is guard enough.
CREATE UNIQUE INDEX "ledger_transaction_cause" ON "ledger_transaction" ("user_id", "kind", "cause_id") WHERE "kind" <> 'usage';
-- What takes a purchase back, found by its session.
CREATE INDEX "ledger_transaction_related" ON "ledger_transaction" ("user_id", "related_id") WHERE "related_id" IS NOT NULL;
-- Transactions arrive in the order of time: a few pages of index tell where an hour lies.
CREATE INDEX "ledger_transaction_created" ON "ledger_transaction" USING brin ("created_at");

-- Counters are updated in place: leave room on their pages. Holds come and go.
ALTER TABLE "wallet" SET (fillfactor = 60);
ALTER TABLE "user_app" SET (fillfactor = 60);
-- Nobody asks for a request by its postings: statistics of them would only cost.
ALTER TABLE "ledger_transaction" ALTER COLUMN "postings" SET STATISTICS 0;
ALTER TABLE "hold" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
END $$;

CREATE TRIGGER "ledger_transaction_append_only" BEFORE UPDATE OR DELETE ON "ledger_transaction"
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();

-- ── The rules as formulas ─────────────────────────────────────────────────────────────────────

-- Exact picocredits and a rate in basis points to microcredits, rounded up once. The twin of
-- chargeFor() in server/credits.ts.
CREATE FUNCTION ledger_charge(exact numeric, rate_bp integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT div(exact * (10000 + rate_bp) + 9999999999, 10000000000)::bigint
$$;

-- What an app can spend for a user now.
CREATE FUNCTION ledger_spendable(money bigint, held bigint, own bigint, own_held bigint, allowance_left bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT greatest(0, least(money - held, greatest(0, own - own_held) + allowance_left))
$$;

-- 'ok', or why `need` cannot be spent. 'busy' when it could be, were no request of the user
-- running: `idle` is what the app could spend then.
CREATE FUNCTION ledger_status(spendable bigint, idle bigint, money bigint, allowance_saved bigint, need bigint)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN spendable >= need THEN 'ok'
    WHEN idle >= need THEN 'busy'
    WHEN money < need THEN 'insufficient_credits'
    WHEN coalesce(allowance_saved, 0) = 0 THEN 'partner_not_permitted'
    ELSE 'partner_limit_reached'
  END
$$;

-- What the app could spend if none of the user's requests were running: a reservation in the
-- limit comes back unless the limit was saved anew since.
CREATE FUNCTION ledger_idle(app user_app, money bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT ledger_spendable(money, 0, app.own, 0, app.allowance_left + coalesce((
    SELECT sum(h.amount - h.own_part) FROM hold h
    WHERE h.user_id = app.user_id AND h.partner_id = app.partner_id AND h.epoch = app.epoch), 0)::bigint)
$$;

-- ── Opening a user's wallet and pockets ───────────────────────────────────────────────────────

-- Makes the rows that the other functions lock, and locks the account. Returns the app-scoped id
-- that stands: the given one, or the one from before.
CREATE FUNCTION ledger_open_user_app(p_user text, p_partner text, p_app_user text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  standing text;
BEGIN
  INSERT INTO wallet (user_id) VALUES (p_user) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  INSERT INTO user_app (user_id, partner_id) VALUES (p_user, '') ON CONFLICT DO NOTHING;
  INSERT INTO user_app (user_id, partner_id, app_user_id) VALUES (p_user, p_partner, p_app_user) ON CONFLICT (user_id, partner_id) DO NOTHING;
  SELECT app_user_id INTO standing FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  RETURN standing;
END $$;

-- One account against another that belongs to nobody: what most transactions are.
CREATE FUNCTION ledger_postings(p_account text, p_partner text, p_amount bigint, p_against text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT jsonb_build_array(
    jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount),
    jsonb_build_object('account', p_against, 'partner_id', '', 'amount', -p_amount))
$$;

-- ── Credits in: purchases and grants ──────────────────────────────────────────────────────────

-- Books `p_credits` into the app's pocket against `p_against`. The same cause is booked once; a
-- repetition returns what was booked.
CREATE FUNCTION ledger_deposit(
  p_user text, p_partner text, p_kind text, p_cause text, p_transaction text,
  p_credits bigint, p_against text, p_note text
) RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
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
    WHERE t.user_id = p_user AND t.kind = p_kind AND t.cause_id = p_cause;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  before := ledger_spendable(purse.money, purse.held, pocket.own, pocket.own_held, pocket.allowance_left);
  after := ledger_spendable(purse.money + p_credits, purse.held, pocket.own + p_credits, pocket.own_held, pocket.allowance_left);

  UPDATE wallet SET money = money + p_credits WHERE user_id = p_user;
  UPDATE user_app SET own = own + p_credits WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, credits_added, note, postings)
    VALUES (p_user, p_transaction, p_partner, p_kind, p_cause, p_credits, after, greatest(0, after - before), p_note,
      ledger_postings('pocket', p_partner, p_credits, p_against));
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;

-- ── Permission: the limit a user sets for an app ──────────────────────────────────────────────

-- A save sets what is left and starts a new epoch; null removes the limit.
CREATE FUNCTION ledger_save_allowance(p_user text, p_partner text, p_limit bigint, p_save text, p_transaction text)
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

  UPDATE user_app SET allowance_left = coalesce(p_limit, 0), allowance_saved = p_limit, epoch = epoch + 1
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, credits_added, allowance_saved)
    VALUES (p_user, p_transaction, p_partner, 'permission', p_save, 0, after, greatest(0, after - before), coalesce(p_limit, 0));
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;

-- ── Reading ───────────────────────────────────────────────────────────────────────────────────

CREATE FUNCTION ledger_read(p_user text, p_partner text, p_need bigint)
RETURNS TABLE (balance bigint, status text, money bigint, held bigint, allowance_saved bigint, allowance_left bigint)
LANGUAGE sql STABLE AS $$
  SELECT spendable, ledger_status(spendable, ledger_idle(u, a.money), a.money, u.allowance_saved, p_need),
         a.money, a.held, u.allowance_saved, u.allowance_left
  FROM wallet a
  JOIN user_app u ON u.user_id = a.user_id AND u.partner_id = p_partner
  CROSS JOIN LATERAL (SELECT ledger_spendable(a.money, a.held, u.own, u.own_held, u.allowance_left)) AS s (spendable)
  WHERE a.user_id = p_user
$$;

-- ── The hot path ──────────────────────────────────────────────────────────────────────────────

-- Planning these statements takes longer than running them, so each connection plans them once. The
-- plan must then be right whatever the tables hold: every look-up is a LATERAL by primary key that the
-- planner may not rearrange (OFFSET 0), and no table is ever scanned. ledger_batch sets both for the
-- functions that it calls.

-- Locks accounts in the order given: callers sort, so that no two wait for each other in a circle.
CREATE FUNCTION ledger_lock(p_users text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM unnest(p_users) WITH ORDINALITY AS w (user_id, n)
    CROSS JOIN LATERAL (SELECT 1 FROM wallet a WHERE a.user_id = w.user_id FOR UPDATE OF a) a;
END $$;

-- p_requests: [{n, key_hash (hex), request_id, model, need, want}]; need and want are exact
-- picocredits before commission. At most one request per user is decided in a call: further
-- ones return 'again' and belong in a later call. The caller holds the accounts' locks.
CREATE FUNCTION ledger_admit(p_requests json, p_minimum bigint, p_max_running integer, p_lease interval)
RETURNS TABLE (n integer, outcome text, user_id text, partner_id text, key_id text, app_user_id text, rate_bp integer, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH known AS (
    SELECT r.*, k.id AS key_id, k.user_id, k.partner_id AS partner_id, k.last_used_at, p.rate_bp,
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
  -- Exact to the minute: enough to find the most idle key, without a write per request.
  mark_used AS (
    UPDATE user_key k SET last_used_at = clock_timestamp()
    FROM placed h WHERE k.id = h.key_id
      AND (h.last_used_at IS NULL OR h.last_used_at < clock_timestamp() - interval '1 minute')
  ),
  insert_hold AS (
    INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until)
    SELECT h.user_id, h.request_id, h.partner_id, h.key_id, h.amount, h.own_part, h.epoch, h.rate_bp, clock_timestamp() + p_lease
    FROM placed h
  )
  SELECT d.n, d.outcome, d.user_id, d.partner_id, d.key_id, d.app_user_id, d.rate_bp, d.amount FROM decided d;
END $$;

-- Resolves holds, each once: it is deleted. A request whose hold is gone returns what was captured
-- then, or no row when nothing was.
-- p_requests: [{n, user_id, request_id, cost, charge, + the receipt's columns}], in microcredits; no
-- charge frees the whole hold. A capture without `model` books money but writes no receipt. The
-- caller holds the accounts' locks.
CREATE FUNCTION ledger_settle(p_requests json)
RETURNS TABLE (n integer, captured bigint, balance bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  settled integer;
BEGIN
  RETURN QUERY
  WITH taken AS (
    SELECT r.*, h.partner_id, h.key_id, h.amount, h.own_part, h.epoch = u.epoch AS same_epoch,
           'txn_' || substr(r.request_id, 5) AS transaction_id,
           least(coalesce(r.charge, 0), h.amount) AS take,
           -- The app's own pocket first: this hold's part of it and whatever else is free there.
           least(least(coalesce(r.charge, 0), h.amount), greatest(h.own_part, u.own - u.own_held + h.own_part)) AS own_wanted
    FROM json_to_recordset(p_requests) AS r (
      n integer, user_id text, request_id text, cost bigint, charge bigint,
      model text, provider text, price_version text, input_tokens integer, cache_read_tokens integer,
      cache_write_tokens integer, cache_write_1h_tokens integer, output_tokens integer, reasoning_tokens integer, estimated boolean, outcome text)
    CROSS JOIN LATERAL (SELECT * FROM hold h WHERE h.user_id = r.user_id AND h.request_id = r.request_id OFFSET 0) h
    CROSS JOIN LATERAL (SELECT * FROM user_app u WHERE u.user_id = h.user_id AND u.partner_id = h.partner_id OFFSET 0) u
  ),
  -- Then pocket '' (outside any app), then the other apps' pockets, oldest first.
  others AS (
    SELECT t.user_id, p.partner_id, greatest(0, p.own - p.own_held) AS free, t.take - t.own_wanted AS wanted,
           coalesce(sum(greatest(0, p.own - p.own_held)) OVER (
             PARTITION BY t.user_id ORDER BY p.partner_id <> '', p.created_at, p.partner_id
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS free_before
    FROM taken t
    CROSS JOIN LATERAL (SELECT * FROM user_app p WHERE p.user_id = t.user_id AND p.partner_id <> t.partner_id OFFSET 0) p
    WHERE t.take > t.own_wanted
  ),
  drawn AS (
    SELECT o.user_id, o.partner_id, least(o.free, o.wanted - o.free_before)::bigint AS amount
    FROM others o WHERE o.free > 0 AND o.wanted > o.free_before
  ),
  -- What no pocket covers any more, after a refund took reserved money, stays with the app's own
  -- pocket as a debt.
  split AS (
    SELECT t.*, t.take - coalesce((SELECT sum(d.amount) FROM drawn d WHERE d.user_id = t.user_id), 0)::bigint AS own_take
    FROM taken t
  ),
  resolve_hold AS (
    DELETE FROM hold h USING split s WHERE h.user_id = s.user_id AND h.request_id = s.request_id
  ),
  take_money AS (
    UPDATE wallet a SET money = a.money - s.take, held = a.held - s.amount, running = a.running - 1
    FROM split s WHERE a.user_id = s.user_id
    RETURNING a.user_id, a.money, a.held
  ),
  take_own AS (
    UPDATE user_app u SET
      own = u.own - s.own_take,
      own_held = u.own_held - s.own_part,
      allowance_left = u.allowance_left
        + CASE WHEN s.same_epoch THEN (s.amount - s.own_part) - greatest(0, s.take - s.own_wanted) ELSE 0 END
    FROM split s WHERE u.user_id = s.user_id AND u.partner_id = s.partner_id
    RETURNING u.user_id, u.own, u.own_held, u.allowance_left
  ),
  take_others AS (
    UPDATE user_app u SET own = u.own - d.amount
    FROM drawn d WHERE u.user_id = d.user_id AND u.partner_id = d.partner_id
  ),
  booked AS (
    SELECT s.*, ledger_spendable(m.money, m.held, o.own, o.own_held, o.allowance_left) AS balance,
           -- The partner earns of what the user paid beyond the cost; what the user did not pay is ours.
           least(s.charge - s.cost, greatest(0, s.take - s.cost)) AS partner_share
    FROM split s
    JOIN take_money m ON m.user_id = s.user_id
    JOIN take_own o ON o.user_id = s.user_id
  ),
  insert_transaction AS (
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, postings)
    SELECT b.user_id, b.transaction_id, b.partner_id, 'usage', b.request_id, -b.take, b.balance,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('account', p.account, 'partner_id', p.partner_id, 'amount', p.amount)), '[]')
       FROM (
         VALUES ('pocket', b.partner_id, -b.own_take),
                ('provider_cost', '', b.cost),
                ('partner_earnings', b.partner_id, b.partner_share),
                ('overrun_loss', '', b.take - b.cost - b.partner_share)
         UNION ALL
         SELECT 'pocket', d.partner_id, -d.amount FROM drawn d WHERE d.user_id = b.user_id
       ) AS p (account, partner_id, amount)
       WHERE p.amount <> 0)
    FROM booked b WHERE b.charge IS NOT NULL
  ),
  insert_usage AS (
    INSERT INTO usage (user_id, request_id, partner_id, key_id, model, provider, price_version, input_tokens,
      cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, held, provider_cost,
      charge, partner_share, estimated, outcome)
    SELECT b.user_id, b.request_id, b.partner_id, b.key_id, b.model, b.provider, b.price_version, b.input_tokens,
      b.cache_read_tokens, b.cache_write_tokens, b.cache_write_1h_tokens, b.output_tokens, b.reasoning_tokens,
      b.amount, b.cost, b.take, b.partner_share, b.estimated, b.outcome
    FROM booked b WHERE b.charge IS NOT NULL AND b.model IS NOT NULL
  )
  SELECT b.n, b.take, b.balance FROM booked b;

  -- A repetition, because the first answer was lost, hears what was taken then.
  GET DIAGNOSTICS settled = ROW_COUNT;
  IF settled < json_array_length(p_requests) THEN
    RETURN QUERY
    SELECT r.n, -t.credits, t.balance_after
    FROM json_to_recordset(p_requests) AS r (n integer, user_id text, request_id text)
    CROSS JOIN LATERAL (
      SELECT * FROM ledger_transaction t
      WHERE t.user_id = r.user_id AND t.id = 'txn_' || substr(r.request_id, 5) AND t.xmin <> pg_current_xact_id()::xid OFFSET 0) t;
  END IF;
END $$;

-- What waits of both kinds, in one round trip and one commit. All accounts are locked first, in
-- order; settlements go before admissions, so that what they free can be spent. At most one request
-- per user is settled in a call, and one admitted.
CREATE FUNCTION ledger_batch(p_settle json, p_admit json, p_minimum bigint, p_max_running integer, p_lease interval)
RETURNS TABLE (n integer, outcome text, user_id text, partner_id text, key_id text, app_user_id text, rate_bp integer, amount bigint, balance bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  users text[];
BEGIN
  SELECT array_agg(DISTINCT w.user_id ORDER BY w.user_id) INTO users FROM (
    SELECT r.user_id FROM json_to_recordset(p_settle) AS r (user_id text)
    UNION ALL
    SELECT k.user_id FROM json_to_recordset(p_admit) AS r (key_hash text)
    CROSS JOIN LATERAL (SELECT k.user_id FROM user_key k WHERE k.hash = decode(r.key_hash, 'hex') OFFSET 0) k
  ) AS w;
  PERFORM ledger_lock(users);
  IF json_array_length(p_settle) > 0 THEN
    RETURN QUERY SELECT s.n, 'settled', NULL::text, NULL::text, NULL::text, NULL::text, NULL::integer, s.captured, s.balance
      FROM ledger_settle(p_settle) s;
  END IF;
  IF json_array_length(p_admit) > 0 THEN
    RETURN QUERY SELECT a.n, a.outcome, a.user_id, a.partner_id, a.key_id, a.app_user_id, a.rate_bp, a.amount, NULL::bigint
      FROM ledger_admit(p_admit, p_minimum, p_max_running, p_lease) a;
  END IF;
END $$;

-- ── Leases ────────────────────────────────────────────────────────────────────────────────────

-- p_requests: [{user_id, request_id, cost, charge, receipt}]: still running, metered so far.
CREATE FUNCTION ledger_renew(p_requests json, p_lease interval) RETURNS void LANGUAGE sql AS $$
  UPDATE hold h SET lease_until = clock_timestamp() + p_lease, metered_cost = r.cost, metered_charge = r.charge,
    metered_receipt = r.receipt
  FROM json_to_recordset(p_requests) AS r (user_id text, request_id text, cost bigint, charge bigint, receipt jsonb)
  WHERE h.user_id = r.user_id AND h.request_id = r.request_id
$$;

-- Holds whose instance died: at most one per user, as settlement wants them.
CREATE FUNCTION ledger_abandoned(p_limit integer)
RETURNS TABLE (user_id text, request_id text, cost bigint, charge bigint, receipt jsonb) LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (h.user_id) h.user_id, h.request_id, h.metered_cost, h.metered_charge, h.metered_receipt
  FROM hold h WHERE h.lease_until < clock_timestamp()
  ORDER BY h.user_id LIMIT p_limit
$$;

-- ── Taking credits back ───────────────────────────────────────────────────────────────────────

-- Brings what was taken back of a purchase for one reason ('refund' or 'chargeback') to
-- `p_cumulative`, never beyond the purchase together with the other reason. Applies the difference
-- only, so events may come twice, late or in any order; a smaller sum gives credits back. The
-- pocket may go below zero: nobody spends into it, and the next purchase repays it first.
CREATE FUNCTION ledger_claw_back(p_user text, p_session text, p_reason text, p_cumulative bigint, p_transaction text, p_earnings_hold interval)
RETURNS TABLE (transaction_id text, balance bigint, credits bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  purse wallet;
  pocket user_app;
  bought ledger_transaction;
  taken bigint;
  taken_otherwise bigint;
  change bigint;
  after bigint;
  steps integer;
BEGIN
  SELECT * INTO STRICT purse FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT * INTO STRICT bought FROM ledger_transaction WHERE user_id = p_user AND kind = 'purchase' AND cause_id = p_session;
  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = bought.partner_id;
  SELECT coalesce(-sum(t.credits) FILTER (WHERE t.note = p_reason), 0),
         coalesce(-sum(t.credits) FILTER (WHERE t.note <> p_reason), 0), count(*)
    INTO taken, taken_otherwise, steps
    FROM ledger_transaction t WHERE t.user_id = p_user AND t.kind = 'refund' AND t.related_id = p_session;

  change := taken - greatest(0, least(p_cumulative, bought.credits - taken_otherwise));
  after := ledger_spendable(purse.money + change, purse.held, pocket.own + change, pocket.own_held, pocket.allowance_left);
  IF change = 0 THEN
    RETURN QUERY SELECT NULL::text, after, 0::bigint, true;
    RETURN;
  END IF;

  UPDATE wallet SET money = money + change WHERE user_id = p_user;
  UPDATE user_app SET own = own + change WHERE user_id = p_user AND partner_id = bought.partner_id;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
    VALUES (p_user, p_transaction, bought.partner_id, 'refund', p_session || ':' || (steps + 1), p_session, change, after, p_reason,
      ledger_postings('pocket', bought.partner_id, change, 'processor_clearing'));

  IF p_reason = 'chargeback' THEN
    IF change < 0 THEN
      PERFORM ledger_reverse_earnings(p_user, bought.partner_id, p_session,
        greatest(0, -(pocket.own + change)) - greatest(0, -pocket.own), p_earnings_hold);
    ELSIF taken = change THEN
      PERFORM ledger_restore_earnings(p_user, p_session);
    END IF;
  END IF;
  RETURN QUERY SELECT p_transaction, after, change, false;
END $$;

-- Charged-back credits that were already spent (`p_spent` of one pocket) take the commission with
-- them that was earned on them and is not mature yet, oldest first. Each reversal is a transaction
-- of its own that names the purchase, and the request in its note.
CREATE FUNCTION ledger_reverse_earnings(p_user text, p_partner text, p_session text, p_spent bigint, p_earnings_hold interval)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_spent <= 0 THEN RETURN; END IF;
  WITH earned AS (
    SELECT t.id, t.created_at, e.partner_id AS partner_id, e.amount AS share, -p.amount AS paid_here, -t.credits AS paid
    FROM ledger_transaction t
    JOIN ledger_entry p ON p.user_id = t.user_id AND p.transaction_id = t.id AND p.account = 'pocket' AND p.partner_id = p_partner
    JOIN ledger_entry e ON e.user_id = t.user_id AND e.transaction_id = t.id AND e.account = 'partner_earnings'
    WHERE t.user_id = p_user AND t.kind = 'usage' AND t.created_at > clock_timestamp() - p_earnings_hold
      AND NOT EXISTS (SELECT 1 FROM ledger_transaction r WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND r.note = t.id)
  ),
  reached AS (
    SELECT e.*, sum(e.paid_here) OVER (ORDER BY e.created_at, e.id) - e.paid_here AS before FROM earned e
  ),
  reversed AS (
    SELECT r.id, r.partner_id, 'txn_' || substr(md5(p_session || r.id), 1, 22) AS transaction_id,
           div(r.share::numeric * least(r.paid_here, p_spent - r.before), r.paid)::bigint AS amount
    FROM reached r WHERE r.before < p_spent
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, v.transaction_id, v.partner_id, 'earnings_reversal', p_session || ':' || v.id, p_session, 0, 0, v.id,
    ledger_postings('partner_earnings', v.partner_id, -v.amount, 'chargeback_loss')
  FROM reversed v WHERE v.amount > 0;
END $$;

-- The bank gave the money back: so do we with what was reversed.
CREATE FUNCTION ledger_restore_earnings(p_user text, p_session text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH reversed AS (
    SELECT e.partner_id AS partner_id, 'txn_' || substr(md5(p_session || ':restored:' || r.id), 1, 22) AS transaction_id,
           r.id, -e.amount AS amount
    FROM ledger_transaction r
    JOIN ledger_entry e ON e.user_id = r.user_id AND e.transaction_id = r.id AND e.account = 'partner_earnings'
    WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND r.related_id = p_session AND e.amount < 0
      AND NOT EXISTS (SELECT 1 FROM ledger_transaction b WHERE b.user_id = p_user AND b.kind = 'earnings_reversal' AND b.cause_id = r.id)
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, v.transaction_id, v.partner_id, 'earnings_reversal', v.id, p_session, 0, 0, 'restored',
    ledger_postings('partner_earnings', v.partner_id, v.amount, 'chargeback_loss')
  FROM reversed v;
END $$;

-- ── Earnings ──────────────────────────────────────────────────────────────────────────────────

-- Folds new earnings into hours. Entries younger than the lag may still belong to a running
-- transaction, so they wait; readers add the tail. Returns how many entries were folded.
CREATE FUNCTION ledger_roll_up(p_lag interval) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  begun timestamptz;
  upto timestamptz := clock_timestamp() - p_lag;
  folded bigint;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'earnings' FOR UPDATE;
  IF upto <= begun THEN RETURN 0; END IF;
  WITH fresh AS (
    SELECT partner_id, date_trunc('hour', created_at) AS hour, sum(amount) AS earned, count(*) AS entries
    FROM ledger_entry WHERE account = 'partner_earnings' AND created_at >= begun AND created_at < upto
    GROUP BY 1, 2
  ), folding AS (
    INSERT INTO earnings_rollup (partner_id, hour, earned) SELECT partner_id, hour, earned FROM fresh
    ON CONFLICT (partner_id, hour) DO UPDATE SET earned = earnings_rollup.earned + excluded.earned
  )
  SELECT coalesce(sum(entries), 0) INTO folded FROM fresh;
  UPDATE watermark SET up_to = upto WHERE name = 'earnings';
  RETURN folded;
END $$;

-- A partner's earnings: what is mature, and what is still within the hold period.
CREATE FUNCTION ledger_earnings(p_partner text, p_hold interval)
RETURNS TABLE (matured bigint, maturing bigint) LANGUAGE sql STABLE AS $$
  WITH mark AS (SELECT coalesce((SELECT up_to FROM watermark WHERE name = 'earnings'), '2000-01-01') AS up_to),
  all_hours AS (
    SELECT hour, earned::numeric FROM earnings_rollup WHERE partner_id = p_partner
    UNION ALL
    SELECT e.created_at, e.amount FROM ledger_entry e, mark
    WHERE e.account = 'partner_earnings' AND e.partner_id = p_partner AND e.created_at >= mark.up_to
  )
  SELECT coalesce(sum(earned) FILTER (WHERE hour + interval '1 hour' <= clock_timestamp() - p_hold), 0)::bigint,
         coalesce(sum(earned) FILTER (WHERE hour + interval '1 hour' > clock_timestamp() - p_hold), 0)::bigint
  FROM all_hours
$$;

INSERT INTO watermark (name, up_to) VALUES ('audit', '2000-01-01'), ('earnings', '2000-01-01');
