-- The ledger's rules, by hand: what Prisma's schema cannot say.
--
-- Every function that writes money locks the user's account row first, in user order. Each
-- statement of a function sees what was committed before it began, so whatever is read after
-- that lock is the newest state of all of the user's rows.

-- ── Constraints: a second, independent statement of the rules ────────────────────────────────

ALTER TABLE "account"
  ADD CONSTRAINT "account_held_not_negative" CHECK ("held" >= 0),
  ADD CONSTRAINT "account_running_not_negative" CHECK ("running" >= 0);

ALTER TABLE "user_app"
  ADD CONSTRAINT "user_app_own_held_not_negative" CHECK ("own_held" >= 0),
  ADD CONSTRAINT "user_app_limit_left_not_negative" CHECK ("limit_left" >= 0),
  ADD CONSTRAINT "user_app_limit_saved_not_negative" CHECK ("limit_saved" >= 0);

ALTER TABLE "hold"
  ADD CONSTRAINT "hold_amount_not_negative" CHECK ("amount" >= 0),
  ADD CONSTRAINT "hold_own_part_within_amount" CHECK ("own_part" BETWEEN 0 AND "amount"),
  ADD CONSTRAINT "hold_captured_within_amount" CHECK ("captured" BETWEEN 0 AND "amount"),
  ADD CONSTRAINT "hold_state_known" CHECK ("state" IN ('held', 'captured', 'voided', 'expired'));

ALTER TABLE "ledger_transaction"
  ADD CONSTRAINT "ledger_transaction_kind_known"
  CHECK ("kind" IN ('purchase', 'usage', 'permission', 'refund', 'adjustment'));

ALTER TABLE "ledger_entry"
  ADD CONSTRAINT "ledger_entry_account_known" CHECK ("account" IN (
    'pocket', 'provider_cost', 'partner_earnings', 'overrun_loss', 'processor_clearing', 'promotion_expense'));

ALTER TABLE "partner" ADD CONSTRAINT "partner_rate_within_bounds" CHECK ("rate_bp" BETWEEN 0 AND 10000);

ALTER TABLE "checkout_session"
  ADD CONSTRAINT "checkout_session_status_known"
  CHECK ("status" IN ('open', 'processing', 'completed', 'failed', 'expired')),
  ADD CONSTRAINT "checkout_session_amount_positive" CHECK ("amount_minor" > 0 AND "credits" > 0);

-- Open holds only: what the sweeper and a refusal look at.
CREATE INDEX "hold_open" ON "hold" ("user_id", "app_id") WHERE "state" = 'held';

-- Counters are updated in place: leave room on their pages.
ALTER TABLE "account" SET (fillfactor = 60);
ALTER TABLE "user_app" SET (fillfactor = 60);
ALTER TABLE "hold" SET (fillfactor = 70);

CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
END $$;

CREATE TRIGGER "ledger_entry_append_only" BEFORE UPDATE OR DELETE ON "ledger_entry"
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
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
CREATE FUNCTION ledger_spendable(money bigint, held bigint, own bigint, own_held bigint, limit_left bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT greatest(0, least(money - held, greatest(0, own - own_held) + limit_left))
$$;

-- 'ok', or why `need` cannot be spent. 'busy' when it could be, were no request of the user
-- running: `idle` is what the app could spend then.
CREATE FUNCTION ledger_status(spendable bigint, idle bigint, money bigint, limit_saved bigint, need bigint)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN spendable >= need THEN 'ok'
    WHEN idle >= need THEN 'busy'
    WHEN money < need THEN 'insufficient_credits'
    WHEN coalesce(limit_saved, 0) = 0 THEN 'partner_not_permitted'
    ELSE 'partner_limit_reached'
  END
$$;

-- What the app could spend if none of the user's requests were running: a reservation in the
-- limit comes back unless the limit was saved anew since.
CREATE FUNCTION ledger_idle(app user_app, money bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT ledger_spendable(money, 0, app.own, 0, app.limit_left + coalesce((
    SELECT sum(h.amount - h.own_part) FROM hold h
    WHERE h.user_id = app.user_id AND h.app_id = app.app_id AND h.state = 'held' AND h.epoch = app.epoch), 0)::bigint)
$$;

-- ── Opening a user's wallet and pockets ───────────────────────────────────────────────────────

-- Makes the rows that the other functions lock, and locks the account. Returns the app-scoped id
-- that stands: the given one, or the one from before.
CREATE FUNCTION ledger_open_user_app(p_user text, p_app text, p_app_user text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  standing text;
BEGIN
  INSERT INTO account (user_id) VALUES (p_user) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM account WHERE user_id = p_user FOR UPDATE;
  INSERT INTO user_app (user_id, app_id) VALUES (p_user, '') ON CONFLICT DO NOTHING;
  INSERT INTO user_app (user_id, app_id, app_user_id) VALUES (p_user, p_app, p_app_user) ON CONFLICT (user_id, app_id) DO NOTHING;
  SELECT app_user_id INTO standing FROM user_app WHERE user_id = p_user AND app_id = p_app;
  RETURN standing;
END $$;

-- ── Credits in: purchases and grants ──────────────────────────────────────────────────────────

-- Books `p_credits` into the app's pocket against `p_against`. The same cause is booked once; a
-- repetition returns what was booked.
CREATE FUNCTION ledger_deposit(
  p_user text, p_app text, p_kind text, p_cause text, p_transaction text,
  p_credits bigint, p_against text, p_note text
) RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  purse account;
  pocket user_app;
  before bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT purse FROM account WHERE user_id = p_user FOR UPDATE;
  RETURN QUERY SELECT t.id, t.balance_after, t.credits_added, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = p_kind AND t.cause_id = p_cause;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND app_id = p_app;
  before := ledger_spendable(purse.money, purse.held, pocket.own, pocket.own_held, pocket.limit_left);
  after := ledger_spendable(purse.money + p_credits, purse.held, pocket.own + p_credits, pocket.own_held, pocket.limit_left);

  UPDATE account SET money = money + p_credits WHERE user_id = p_user;
  UPDATE user_app SET own = own + p_credits WHERE user_id = p_user AND app_id = p_app;
  INSERT INTO ledger_transaction (user_id, id, app_id, kind, cause_id, credits, balance_after, credits_added, note)
    VALUES (p_user, p_transaction, p_app, p_kind, p_cause, p_credits, after, greatest(0, after - before), p_note);
  INSERT INTO ledger_entry (user_id, transaction_id, account, app_id, amount)
    VALUES (p_user, p_transaction, 'pocket', p_app, p_credits), (p_user, p_transaction, p_against, '', -p_credits);
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;

-- ── Permission: the limit a user sets for an app ──────────────────────────────────────────────

-- A save sets what is left and starts a new epoch; null removes the limit.
CREATE FUNCTION ledger_save_limit(p_user text, p_app text, p_limit bigint, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  purse account;
  pocket user_app;
  before bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT purse FROM account WHERE user_id = p_user FOR UPDATE;
  RETURN QUERY SELECT t.id, t.balance_after, t.credits_added, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = 'permission' AND t.cause_id = p_save;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND app_id = p_app;
  before := ledger_spendable(purse.money, purse.held, pocket.own, pocket.own_held, pocket.limit_left);
  after := ledger_spendable(purse.money, purse.held, pocket.own, pocket.own_held, coalesce(p_limit, 0));

  UPDATE user_app SET limit_left = coalesce(p_limit, 0), limit_saved = p_limit, epoch = epoch + 1
    WHERE user_id = p_user AND app_id = p_app;
  INSERT INTO ledger_transaction (user_id, id, app_id, kind, cause_id, credits, balance_after, credits_added, limit_saved)
    VALUES (p_user, p_transaction, p_app, 'permission', p_save, 0, after, greatest(0, after - before), coalesce(p_limit, 0));
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;

-- ── Reading ───────────────────────────────────────────────────────────────────────────────────

CREATE FUNCTION ledger_read(p_user text, p_app text, p_need bigint)
RETURNS TABLE (balance bigint, status text, money bigint, held bigint, limit_saved bigint, limit_left bigint)
LANGUAGE sql STABLE AS $$
  SELECT spendable, ledger_status(spendable, ledger_idle(u, a.money), a.money, u.limit_saved, p_need),
         a.money, a.held, u.limit_saved, u.limit_left
  FROM account a
  JOIN user_app u ON u.user_id = a.user_id AND u.app_id = p_app
  CROSS JOIN LATERAL (SELECT ledger_spendable(a.money, a.held, u.own, u.own_held, u.limit_left)) AS s (spendable)
  WHERE a.user_id = p_user
$$;

-- ── Admission: key → partner → model → wallet → hold, decided and written together ───────────

-- p_requests: [{n, key_hash (hex), request_id, model, need, want}]; need and want are exact
-- picocredits before commission. At most one request per user is decided in a call: further
-- ones return 'again' and belong in a later call.
CREATE FUNCTION ledger_admit(p_requests json, p_minimum bigint, p_max_running integer, p_lease interval)
RETURNS TABLE (n integer, outcome text, user_id text, app_id text, key_id text, app_user_id text, rate_bp integer, amount bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM account a
    WHERE a.user_id IN (
      SELECT k.user_id FROM json_to_recordset(p_requests) AS r (key_hash text)
      JOIN user_key k ON k.hash = decode(r.key_hash, 'hex'))
    ORDER BY a.user_id FOR UPDATE;

  RETURN QUERY
  WITH known AS (
    SELECT r.*, k.id AS key_id, k.user_id, k.partner_id AS app_id, p.rate_bp,
           p.disabled_at IS NOT NULL AS disabled,
           p.all_models OR r.model = ANY (p.allowed_models) AS model_allowed,
           row_number() OVER (PARTITION BY k.user_id ORDER BY r.n) AS turn
    FROM json_to_recordset(p_requests)
      AS r (n integer, key_hash text, request_id text, model text, need numeric, want numeric)
    LEFT JOIN user_key k ON k.hash = decode(r.key_hash, 'hex') AND k.revoked_at IS NULL
    LEFT JOIN partner p ON p.id = k.partner_id
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
             ELSE ledger_status(s.spendable, ledger_idle(u, a.money), a.money, u.limit_saved, s.need_credits)
           END AS outcome
    FROM known w
    LEFT JOIN account a ON a.user_id = w.user_id
    LEFT JOIN user_app u ON u.user_id = w.user_id AND u.app_id = w.app_id
    LEFT JOIN LATERAL (SELECT
      ledger_spendable(a.money, a.held, u.own, u.own_held, u.limit_left),
      greatest(p_minimum, ledger_charge(w.need, w.rate_bp)),
      ledger_charge(w.want, w.rate_bp)) AS s (spendable, need_credits, want_credits) ON true
  ),
  placed AS (SELECT d.*, least(d.amount, d.own_free) AS own_part FROM decided d WHERE d.outcome = 'held'),
  reserve_money AS (
    UPDATE account a SET held = a.held + h.amount, running = a.running + 1
    FROM placed h WHERE a.user_id = h.user_id
  ),
  reserve_pocket AS (
    UPDATE user_app u SET own_held = u.own_held + h.own_part, limit_left = u.limit_left - (h.amount - h.own_part)
    FROM placed h WHERE u.user_id = h.user_id AND u.app_id = h.app_id
  ),
  -- Exact to the minute: enough to find the most idle key, without a write per request.
  mark_used AS (
    UPDATE user_key k SET last_used_at = clock_timestamp()
    FROM placed h WHERE k.id = h.key_id
      AND (k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - interval '1 minute')
  ),
  insert_hold AS (
    INSERT INTO hold (user_id, request_id, app_id, key_id, amount, own_part, epoch, rate_bp, lease_until)
    SELECT h.user_id, h.request_id, h.app_id, h.key_id, h.amount, h.own_part, h.epoch, h.rate_bp, clock_timestamp() + p_lease
    FROM placed h
  )
  SELECT d.n, d.outcome, d.user_id, d.app_id, d.key_id, d.app_user_id, d.rate_bp, d.amount FROM decided d;
END $$;

-- ── Settlement: capture or void, once per hold ────────────────────────────────────────────────

-- p_requests: [{n, user_id, request_id, state, cost, charge, + the receipt's columns}]. state is
-- what the hold becomes: 'captured' (charge and cost in microcredits), 'voided' or 'expired'.
-- At most one request per user and call. A hold that was resolved before is left as it is and
-- returns no row. A capture without `model` books money but writes no receipt.
CREATE FUNCTION ledger_settle(p_requests json)
RETURNS TABLE (n integer, captured bigint, balance bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM account a
    WHERE a.user_id IN (SELECT r.user_id FROM json_to_recordset(p_requests) AS r (user_id text))
    ORDER BY a.user_id FOR UPDATE;

  RETURN QUERY
  WITH taken AS (
    SELECT r.*, h.app_id, h.key_id, h.amount, h.own_part, h.epoch = u.epoch AS same_epoch,
           'txn_' || substr(r.request_id, 5) AS transaction_id,
           least(coalesce(r.charge, 0), h.amount) AS take,
           -- The app's own pocket first: this hold's part of it and whatever else is free there.
           least(least(coalesce(r.charge, 0), h.amount), greatest(h.own_part, u.own - u.own_held + h.own_part)) AS own_wanted
    FROM json_to_recordset(p_requests) AS r (
      n integer, user_id text, request_id text, state text, cost bigint, charge bigint,
      model text, provider text, price_version text, input_tokens integer, cache_read_tokens integer,
      cache_write_tokens integer, output_tokens integer, reasoning_tokens integer, estimated boolean, outcome text)
    JOIN hold h ON h.user_id = r.user_id AND h.request_id = r.request_id AND h.state = 'held'
    JOIN user_app u ON u.user_id = h.user_id AND u.app_id = h.app_id
  ),
  -- Then pocket '' (outside any app), then the other apps' pockets, oldest first.
  others AS (
    SELECT t.user_id, p.app_id, greatest(0, p.own - p.own_held) AS free, t.take - t.own_wanted AS wanted,
           coalesce(sum(greatest(0, p.own - p.own_held)) OVER (
             PARTITION BY t.user_id ORDER BY p.app_id <> '', p.created_at, p.app_id
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS free_before
    FROM taken t
    JOIN user_app p ON p.user_id = t.user_id AND p.app_id <> t.app_id
    WHERE t.take > t.own_wanted
  ),
  drawn AS (
    SELECT o.user_id, o.app_id, least(o.free, o.wanted - o.free_before)::bigint AS amount
    FROM others o WHERE o.free > 0 AND o.wanted > o.free_before
  ),
  -- What no pocket covers any more, after a refund took reserved money, stays with the app's own
  -- pocket as a debt.
  split AS (
    SELECT t.*, t.take - coalesce((SELECT sum(d.amount) FROM drawn d WHERE d.user_id = t.user_id), 0)::bigint AS own_take
    FROM taken t
  ),
  resolve_hold AS (
    UPDATE hold h SET state = s.state, captured = s.take, resolved_at = clock_timestamp()
    FROM split s WHERE h.user_id = s.user_id AND h.request_id = s.request_id
  ),
  take_money AS (
    UPDATE account a SET money = a.money - s.take, held = a.held - s.amount, running = a.running - 1
    FROM split s WHERE a.user_id = s.user_id
    RETURNING a.user_id, a.money, a.held
  ),
  take_own AS (
    UPDATE user_app u SET
      own = u.own - s.own_take,
      own_held = u.own_held - s.own_part,
      limit_left = u.limit_left
        + CASE WHEN s.same_epoch THEN (s.amount - s.own_part) - greatest(0, s.take - s.own_wanted) ELSE 0 END
    FROM split s WHERE u.user_id = s.user_id AND u.app_id = s.app_id
    RETURNING u.user_id, u.own, u.own_held, u.limit_left
  ),
  take_others AS (
    UPDATE user_app u SET own = u.own - d.amount
    FROM drawn d WHERE u.user_id = d.user_id AND u.app_id = d.app_id
  ),
  booked AS (
    SELECT s.*, ledger_spendable(m.money, m.held, o.own, o.own_held, o.limit_left) AS balance,
           -- The partner earns of what the user paid beyond the cost; what the user did not pay is ours.
           least(s.charge - s.cost, greatest(0, s.take - s.cost)) AS partner_share
    FROM split s
    JOIN take_money m ON m.user_id = s.user_id
    JOIN take_own o ON o.user_id = s.user_id
  ),
  insert_transaction AS (
    INSERT INTO ledger_transaction (user_id, id, app_id, kind, cause_id, credits, balance_after)
    SELECT b.user_id, b.transaction_id, b.app_id, 'usage', b.request_id, -b.take, b.balance
    FROM booked b WHERE b.state = 'captured'
  ),
  insert_entries AS (
    INSERT INTO ledger_entry (user_id, transaction_id, account, app_id, amount)
    SELECT b.user_id, b.transaction_id, posting.account, posting.app_id, posting.amount
    FROM booked b
    CROSS JOIN LATERAL (
      VALUES ('pocket', b.app_id, -b.own_take),
             ('provider_cost', '', b.cost),
             ('partner_earnings', b.app_id, b.partner_share),
             ('overrun_loss', '', b.take - b.cost - b.partner_share)
      UNION ALL
      SELECT 'pocket', d.app_id, -d.amount FROM drawn d WHERE d.user_id = b.user_id
    ) AS posting (account, app_id, amount)
    WHERE b.state = 'captured' AND posting.amount <> 0
  ),
  insert_usage AS (
    INSERT INTO usage (user_id, request_id, app_id, key_id, model, provider, price_version, input_tokens,
      cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, provider_cost, charge, estimated, outcome)
    SELECT b.user_id, b.request_id, b.app_id, b.key_id, b.model, b.provider, b.price_version, b.input_tokens,
      b.cache_read_tokens, b.cache_write_tokens, b.output_tokens, b.reasoning_tokens, b.cost, b.take, b.estimated, b.outcome
    FROM booked b WHERE b.state = 'captured' AND b.model IS NOT NULL
  )
  SELECT b.n, b.take, b.balance FROM booked b;
END $$;

-- ── Leases ────────────────────────────────────────────────────────────────────────────────────

-- p_requests: [{user_id, request_id, cost, charge}]: still running, metered so far.
CREATE FUNCTION ledger_renew(p_requests json, p_lease interval) RETURNS void LANGUAGE sql AS $$
  UPDATE hold h SET lease_until = clock_timestamp() + p_lease,
    metered_cost = greatest(h.metered_cost, r.cost), metered_charge = greatest(h.metered_charge, r.charge)
  FROM json_to_recordset(p_requests) AS r (user_id text, request_id text, cost bigint, charge bigint)
  WHERE h.user_id = r.user_id AND h.request_id = r.request_id AND h.state = 'held'
$$;

-- Holds whose instance died: at most one per user, as settlement wants them.
CREATE FUNCTION ledger_abandoned(p_limit integer)
RETURNS TABLE (user_id text, request_id text, cost bigint, charge bigint) LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (h.user_id) h.user_id, h.request_id, h.metered_cost, h.metered_charge
  FROM hold h WHERE h.state = 'held' AND h.lease_until < clock_timestamp()
  ORDER BY h.user_id LIMIT p_limit
$$;
