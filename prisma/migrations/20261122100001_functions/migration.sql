-- Functions, views and triggers as of the first release. Made by `npm run db:functions` from server/ledger/sql
-- and server/activity/sql: change the files there, which are applied at start.

-- server/ledger/sql/charge.sql

-- Computes the charge for a request in microcredits, rounded up once, from exact picocredits and a commission
-- in basis points. chargeFor() in server/credits.ts computes the same; a test compares the two.
CREATE OR REPLACE FUNCTION ledger_charge(exact numeric, rate_bp integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT div(exact * (10000 + rate_bp) + 9999999999, 10000000000)::bigint
$$;

-- server/ledger/sql/spendable.sql

-- The balance: what one partner can spend for one user now. This is the own pocket plus the allowance, but
-- never more than is free in the whole wallet.
CREATE OR REPLACE FUNCTION ledger_spendable(money bigint, held bigint, own bigint, own_held bigint, allowance_left bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT greatest(0, least(money - held, greatest(0, own - own_held) + allowance_left))
$$;

-- server/ledger/sql/idle.sql

-- The balance if none of the user's requests were running. Credits held against the allowance are returned to
-- it, unless the allowance was saved again after the hold was made.
CREATE OR REPLACE FUNCTION ledger_idle(app user_app, money bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT ledger_spendable(money, 0, app.own, 0, app.allowance_left + coalesce((
    SELECT sum(h.amount - h.own_part) FROM hold h
    WHERE h.user_id = app.user_id AND h.partner_id = app.partner_id AND h.epoch = app.epoch), 0)::bigint)
$$;

-- server/ledger/sql/status.sql

-- 'ok', or the reason why `need` cannot be spent: `paused` if the user or the app is paused for review. 'busy' if it could be spent when none of the user's
-- requests were running: `idle` is the balance in that case (see idle.sql).
CREATE OR REPLACE FUNCTION ledger_status(paused boolean, spendable bigint, idle bigint, money bigint, allowance_saved bigint, need bigint)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN paused THEN 'paused_for_review'
    WHEN spendable >= need THEN 'ok'
    WHEN idle >= need THEN 'busy'
    WHEN money < need THEN 'insufficient_credits'
    WHEN coalesce(allowance_saved, 0) = 0 THEN 'partner_not_permitted'
    ELSE 'partner_limit_reached'
  END
$$;

-- server/ledger/sql/posting.sql

-- Returns a list with one posting, or an empty list if the amount is zero. STABLE because PostgreSQL would
-- not inline it as IMMUTABLE: it calls functions that are only STABLE.
CREATE OR REPLACE FUNCTION ledger_posting(p_account text, p_partner text, p_amount bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_amount = 0 THEN '[]'::jsonb
    ELSE jsonb_build_array(jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount)) END
$$;

-- server/ledger/sql/postings.sql

-- The two postings of most transactions: a partner's account against one that belongs to no partner.
CREATE OR REPLACE FUNCTION ledger_postings(p_account text, p_partner text, p_amount bigint, p_against text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT jsonb_build_array(
    jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount),
    jsonb_build_object('account', p_against, 'partner_id', '', 'amount', -p_amount))
$$;

-- server/ledger/sql/pocket-posting.sql

-- Returns a list with the posting of a pocket, or an empty list if the amount is zero. `granted` is the part of
-- the amount that was granted, with the same sign; commission is neither earned nor reversed on it.
CREATE OR REPLACE FUNCTION ledger_pocket_posting(p_partner text, p_amount bigint, p_granted bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_amount = 0 THEN '[]'::jsonb
    WHEN p_granted = 0 THEN
      jsonb_build_array(jsonb_build_object('account', 'pocket', 'partner_id', p_partner, 'amount', p_amount))
    ELSE jsonb_build_array(
      jsonb_build_object('account', 'pocket', 'partner_id', p_partner, 'amount', p_amount, 'granted', p_granted))
  END
$$;

-- server/ledger/sql/part.sql

-- The part of an amount that corresponds to `p_part` of `p_whole`, rounded down.
CREATE OR REPLACE FUNCTION ledger_part(p_amount bigint, p_part bigint, p_whole bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_part = 0 THEN 0 ELSE div(p_amount::numeric * p_part, p_whole)::bigint END
$$;

-- server/ledger/sql/earnings-hold.sql

-- How long a partner's commission takes to mature: its own period, or else the default.
CREATE OR REPLACE FUNCTION ledger_earnings_hold(p_partner text, p_default interval) RETURNS interval
LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT make_interval(days => p.earnings_hold_days) FROM partner p WHERE p.id = p_partner), p_default)
$$;

-- server/ledger/sql/dispute-period.sql

-- How long card networks allow a payment to be disputed. Commission can be reversed for this long after its
-- request, or as long as it matures if that is longer; then it is final.
CREATE OR REPLACE FUNCTION ledger_dispute_period() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT interval '120 days'
$$;

-- server/ledger/sql/usage.sql

-- The receipts of charged requests. The id of a request differs from that of its transaction only by the prefix: a
-- reader who has one selects by `transaction_id`, which has an index, not by `request_id`.
CREATE OR REPLACE VIEW usage AS
  SELECT user_id, id AS transaction_id, 'req_' || substr(id, 5) AS request_id, partner_id, key_id,
    model, provider, price_version, input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,
    output_tokens, reasoning_tokens, web_searches, held, provider_cost, -credits AS charge, partner_share, estimated, cost_reported,
    rate_bp, outcome, created_at, attempts
  FROM ledger_transaction WHERE kind = 'usage' AND model IS NOT NULL;

-- server/ledger/sql/entries.sql

-- The postings of a transaction, one per row, from its columns. A request that spent only bought credits of its app's
-- own pocket stores none, because they follow from the other columns. Each of those is a branch of its own, so that the
-- planner drops the accounts that a reader does not ask for. The columns are separate parameters because PostgreSQL
-- would build the whole row again for each field of it.
CREATE OR REPLACE FUNCTION ledger_entries(
  p_kind text, p_partner text, p_credits bigint, p_cost bigint, p_share bigint, p_postings jsonb
) RETURNS TABLE (account text, partner_id text, amount bigint, granted bigint) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.account, p.partner_id, p.amount, p.granted
  FROM jsonb_to_recordset(p_postings) AS p (account text, partner_id text, amount bigint, granted bigint)
  WHERE p_postings IS NOT NULL
  UNION ALL
  SELECT 'pocket', p_partner, p_credits, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND p_credits <> 0
  UNION ALL
  SELECT 'provider_cost', '', p_cost, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND p_cost <> 0
  UNION ALL
  SELECT 'partner_earnings', p_partner, p_share, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND p_share <> 0
  UNION ALL
  SELECT 'overrun_loss', '', -p_credits - p_cost - p_share, NULL
  WHERE p_kind = 'usage' AND p_postings IS NULL AND -p_credits <> p_cost + p_share
$$;

-- server/ledger/sql/entry.sql

-- The postings of all transactions, one per row, as an accountant reads them.
CREATE OR REPLACE VIEW ledger_entry AS
  SELECT t.user_id, t.id AS transaction_id, p.account, p.partner_id, p.amount, p.granted, t.created_at
  FROM ledger_transaction t CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p;

-- server/ledger/sql/slice-end.sql

-- The end of a slice of transactions that begins at `p_since`, with `p_rows` to twice as many, and `p_until` if fewer are
-- left. The caller selects by time, which is exact.
--
-- Transactions are stored almost in the order of time, so half of those found first usually are the slice. New ones that
-- fill the space of archived ones are not in order: then the slice would have many more, and half of them are tried.
-- The settings leave only the index on time.
CREATE OR REPLACE FUNCTION ledger_slice_end(p_since timestamptz, p_until timestamptz, p_rows integer) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
DECLARE
  slice_end timestamptz := p_until;
  earliest timestamptz;
BEGIN
  WHILE 2 * p_rows = (
    SELECT count(*) FROM (
      SELECT FROM ledger_transaction WHERE created_at >= p_since AND created_at < slice_end LIMIT 2 * p_rows) t)
  LOOP
    SELECT min(t.created_at), percentile_disc(0.5) WITHIN GROUP (ORDER BY t.created_at) INTO earliest, slice_end
      FROM (SELECT created_at FROM ledger_transaction WHERE created_at >= p_since AND created_at < slice_end LIMIT 2 * p_rows) t;
    -- Half of them have the same time.
    IF slice_end = earliest THEN
      RETURN slice_end + interval '1 microsecond';
    END IF;
  END LOOP;
  RETURN slice_end;
END $$;

-- server/ledger/sql/match-earnings.sql

-- Matches a user's commission to what the user paid for. If refunds and disputes took back more bought credits
-- than a pocket still had, some requests were served on credits nobody paid for: `own_granted - own` of them.
-- The commission on that many credits is reversed, oldest request first, and restored once a won dispute, a
-- failed refund or a later purchase covers them again. Only the difference to what is already reversed is
-- booked, so the result depends on the pockets and not on the order of events.
--
-- Commission can be reversed as long as a payment can be disputed, or until it matures if that is later, whether
-- or not it was paid out. After that it is final: what is reversed by then can only be restored.
--
-- Each booking is a separate transaction. Its note names the transaction of the request, its related_id the
-- purchase whose booking caused it.
CREATE OR REPLACE FUNCTION ledger_match_earnings(p_user text, p_related text, p_default_hold interval)
RETURNS void LANGUAGE sql AS $$
  WITH unpaid AS (
    SELECT partner_id AS pocket, own_granted - own AS credits FROM user_app WHERE user_id = p_user AND own_granted > own
  ),
  app AS (
    SELECT partner_id, clock_timestamp() - greatest(ledger_dispute_period(), ledger_earnings_hold(partner_id, p_default_hold)) AS final_until
    FROM user_app WHERE user_id = p_user
  ),
  moved AS MATERIALIZED (
    SELECT r.note AS id, count(*) AS steps, -sum(e.amount)::bigint AS reversed
    FROM ledger_transaction r
    CROSS JOIN LATERAL ledger_entries(r.kind, r.partner_id, r.credits, r.provider_cost, r.partner_share, r.postings) e
    WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND e.account = 'partner_earnings'
    GROUP BY 1
  ),
  -- What corrections changed of the bought credits and of the commission of a request. Commission rises only if the
  -- request cost more than its hold, so that the partner earned nothing on it.
  corrected AS MATERIALIZED (
    SELECT c.note AS id, e.partner_id AS pocket, sum(coalesce(e.granted, 0) - e.amount) AS bought, NULL::bigint AS share
    FROM ledger_transaction c
    CROSS JOIN LATERAL ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) e
    WHERE c.user_id = p_user AND c.kind = 'correction' AND e.account = 'pocket' GROUP BY 1, 2
    UNION ALL
    SELECT c.note, NULL, NULL, sum(e.amount)::bigint
    FROM ledger_transaction c
    CROSS JOIN LATERAL ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) e
    WHERE c.user_id = p_user AND c.kind = 'correction' AND e.account = 'partner_earnings' GROUP BY 1
  ),
  candidate AS (
    SELECT t.*, true AS is_open
    FROM app a JOIN ledger_transaction t ON t.user_id = p_user AND t.partner_id = a.partner_id AND t.created_at > a.final_until
      AND ledger_slot(t.created_at) >= ledger_slot(a.final_until)
    WHERE t.kind = 'usage' AND (t.partner_share > 0 OR t.id IN (SELECT id FROM corrected WHERE share > 0)) AND EXISTS (SELECT 1 FROM unpaid)
    UNION ALL
    SELECT t.*, t.created_at > a.final_until
    FROM moved m JOIN ledger_transaction t ON t.user_id = p_user AND t.id = m.id JOIN app a ON a.partner_id = t.partner_id
    WHERE t.created_at <= a.final_until OR NOT EXISTS (SELECT 1 FROM unpaid)
  ),
  -- The bought credits that each request took from each pocket, as far as their commission can be reversed.
  piece AS (
    SELECT c.id, c.created_at, c.is_open, p.partner_id AS pocket, coalesce(m.reversed, 0) AS reversed, coalesce(m.steps, 0) AS steps,
           CASE WHEN c.is_open THEN b.bought ELSE coalesce(ceil(b.bought::numeric * m.reversed / nullif(coalesce(p.share, 0) + coalesce(s.share, 0), 0)), 0)
           END AS credits
    FROM candidate c
    LEFT JOIN moved m ON m.id = c.id
    LEFT JOIN corrected s ON s.id = c.id AND s.pocket IS NULL
    CROSS JOIN LATERAL (
      SELECT p.*, sum(p.amount) FILTER (WHERE p.account = 'partner_earnings') OVER () AS share
      FROM ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) p WHERE p.account IN ('pocket', 'partner_earnings') OFFSET 0) p
    LEFT JOIN corrected k ON k.id = c.id AND k.pocket = p.partner_id
    CROSS JOIN LATERAL (SELECT coalesce(p.granted, 0) - p.amount + coalesce(k.bought, 0) AS bought) b
    WHERE p.account = 'pocket' AND (p.share IS NOT NULL OR s.share IS NOT NULL)
  ),
  reached AS (
    SELECT p.*, sum(p.credits) OVER (
             PARTITION BY p.pocket ORDER BY p.reversed > 0 DESC, p.created_at, p.id) - p.credits AS before
    FROM piece p
  ),
  -- Most requests are not reached: only the others are worth another look.
  covered AS (
    SELECT r.id, r.is_open, r.reversed, r.steps,
           sum(greatest(0, least(r.credits, coalesce(u.credits, 0) - r.before)))::bigint AS credits
    FROM reached r LEFT JOIN unpaid u ON u.pocket = r.pocket
    WHERE r.reversed > 0 OR r.before < u.credits
    GROUP BY 1, 2, 3, 4
  ),
  wanted AS (
    SELECT c.id, t.partner_id, c.steps,
           least(CASE WHEN c.is_open THEN e.share ELSE c.reversed END, ledger_part(e.share, c.credits, e.bought)) - c.reversed AS amount
    FROM covered c
    JOIN ledger_transaction t ON t.user_id = p_user AND t.id = c.id
    CROSS JOIN LATERAL (
      SELECT (coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0)
               + coalesce((SELECT sum(k.share) FROM corrected k WHERE k.id = c.id), 0))::bigint AS share,
             (sum(coalesce(p.granted, 0) - p.amount) FILTER (WHERE p.account = 'pocket')
               + coalesce((SELECT sum(k.bought) FROM corrected k WHERE k.id = c.id), 0))::bigint AS bought
      FROM ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p) e
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, 'txn_' || substr(md5(w.id || ':' || w.steps + 1), 1, 22), w.partner_id, 'earnings_reversal',
    w.id || ':' || w.steps + 1, p_related, 0, 0, w.id,
    ledger_postings('partner_earnings', w.partner_id, -w.amount, 'chargeback_loss')
  FROM wanted w WHERE w.amount <> 0;
$$;

-- server/ledger/sql/refuse-change.sql

-- Refuses a change or a deletion: see append-only.sql.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
END $$;

-- server/ledger/sql/refuse-unless-archiving.sql

-- Lets ledger_remove_archived alone remove receipts and change the sums of archived months.
CREATE OR REPLACE FUNCTION ledger_refuse_unless_archiving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('svc.archiving', true) IS DISTINCT FROM 'on' THEN
    RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

-- server/ledger/sql/refuse-unless-deleted.sql

-- Lets rows go only with their account.
CREATE OR REPLACE FUNCTION ledger_refuse_unless_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "user" WHERE id = OLD.user_id AND deleted_at IS NOT NULL) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
END $$;

-- server/ledger/sql/append-only.sql

-- Transactions, prices, invoices, statements of payouts, corrections, audit entries and consents are never changed or
-- deleted, by anyone. Of a purchase only what the processor has taken back and the delivery of its receipt change, of a
-- payout only its state and how it was paid. Receipts are removed only by remove-archived.sql, and daily statements are
-- deleted only with their account.

CREATE OR REPLACE TRIGGER ledger_transaction_append_only BEFORE UPDATE ON ledger_transaction
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_transaction_kept BEFORE DELETE ON ledger_transaction
  FOR EACH ROW WHEN (OLD.kind <> 'usage') EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_transaction_kept_until_archived BEFORE DELETE ON ledger_transaction
  FOR EACH ROW WHEN (OLD.kind = 'usage') EXECUTE FUNCTION ledger_refuse_unless_archiving();
CREATE OR REPLACE TRIGGER archived_month_append_only BEFORE UPDATE ON archived_month
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_unless_archiving();
CREATE OR REPLACE TRIGGER archived_month_kept BEFORE DELETE ON archived_month
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER archived_month_not_truncated BEFORE TRUNCATE ON archived_month
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_transaction_not_truncated BEFORE TRUNCATE ON ledger_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER model_price_append_only BEFORE UPDATE OR DELETE ON model_price
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER model_price_not_truncated BEFORE TRUNCATE ON model_price
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER purchase_append_only BEFORE DELETE OR UPDATE OF
  id, user_id, partner_id, session_id, currency, amount_minor, tax_minor, tax_percent, is_reverse_charge,
  invoiced_by_processor, rate, credits, created_at ON purchase
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER purchase_not_truncated BEFORE TRUNCATE ON purchase
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER operator_action_not_truncated BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER team_action_append_only BEFORE UPDATE OR DELETE ON team_action
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER team_action_not_truncated BEFORE TRUNCATE ON team_action
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER auto_top_up_consent_append_only BEFORE UPDATE OR DELETE ON auto_top_up_consent
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER auto_top_up_consent_not_truncated BEFORE TRUNCATE ON auto_top_up_consent
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER invoice_append_only BEFORE UPDATE OR DELETE ON invoice
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER invoice_not_truncated BEFORE TRUNCATE ON invoice
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_line_append_only BEFORE UPDATE OR DELETE ON payout_line
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_line_not_truncated BEFORE TRUNCATE ON payout_line
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_item_append_only BEFORE UPDATE OR DELETE ON payout_item
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_item_not_truncated BEFORE TRUNCATE ON payout_item
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_transaction_append_only BEFORE UPDATE OR DELETE ON payout_transaction
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_transaction_not_truncated BEFORE TRUNCATE ON payout_transaction
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER payout_append_only BEFORE DELETE OR UPDATE OF
  id, team_id, period, amount, posted_until, created_at ON payout
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER payout_not_truncated BEFORE TRUNCATE ON payout
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- What a batch proposes no longer changes once it is proposed; a correction is only marked as booked.
CREATE OR REPLACE TRIGGER correction_append_only BEFORE DELETE OR UPDATE OF
  batch_id, transaction_id, user_id, partner_id, due, due_cost, charged, credits, cost ON correction
  FOR EACH ROW WHEN (OLD.credits > 0) EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER correction_not_truncated BEFORE TRUNCATE ON correction
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER correction_batch_append_only BEFORE DELETE OR UPDATE OF
  id, source, basis, reason, requests, users, credits, created_at ON correction_batch
  FOR EACH ROW WHEN (OLD.state <> 'preparing') EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER correction_batch_not_truncated BEFORE TRUNCATE ON correction_batch
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- Signing keys are retired and encrypted again, never replaced or deleted.
CREATE OR REPLACE TRIGGER signing_key_append_only BEFORE DELETE OR UPDATE OF id, public_key, created_at ON signing_key
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER signing_key_not_truncated BEFORE TRUNCATE ON signing_key
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE OR REPLACE TRIGGER daily_statement_kept BEFORE DELETE ON daily_statement
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_unless_deleted();
CREATE OR REPLACE TRIGGER daily_statement_append_only BEFORE UPDATE ON daily_statement
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER daily_statement_not_truncated BEFORE TRUNCATE ON daily_statement
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- server/ledger/sql/open-pocket.sql

-- Locks the wallet. First creates the wallet and the pockets that the other functions lock, unless they
-- exist. Returns the effective app user id: the existing one, or else the given one.
CREATE OR REPLACE FUNCTION ledger_open_user_app(p_user text, p_partner text, p_app_user text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  app_user text;
BEGIN
  INSERT INTO wallet (user_id) VALUES (p_user) ON CONFLICT DO NOTHING;
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  INSERT INTO user_app (user_id, partner_id) VALUES (p_user, '') ON CONFLICT DO NOTHING;
  INSERT INTO user_app (user_id, partner_id, app_user_id) VALUES (p_user, p_partner, p_app_user)
    ON CONFLICT (user_id, partner_id) DO NOTHING;
  SELECT app_user_id INTO app_user FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  RETURN app_user;
END $$;

-- server/ledger/sql/deposit.sql

-- Books a purchase or a grant: adds credits to a partner's pocket, against the account `p_against`. `p_granted`
-- of them earn no commission. The same cause is booked only once; a repetition returns the first booking.
CREATE OR REPLACE FUNCTION ledger_deposit(
  p_user text, p_partner text, p_kind text, p_cause text, p_transaction text,
  p_credits bigint, p_granted bigint, p_against text, p_note text, p_earnings_hold interval
) RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  before bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  RETURN QUERY SELECT t.id, t.balance_after, t.credits_added, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = p_kind AND t.cause_id = p_cause;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  before := ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, pocket.allowance_left);
  after := ledger_spendable(wallet_row.money + p_credits, wallet_row.held, pocket.own + p_credits, pocket.own_held, pocket.allowance_left);

  UPDATE wallet SET money = money + p_credits WHERE user_id = p_user;
  UPDATE user_app SET own = own + p_credits, own_granted = own_granted + p_granted
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, credits_added, note, postings)
    VALUES (p_user, p_transaction, p_partner, p_kind, p_cause, p_credits, after, greatest(0, after - before), p_note,
      ledger_pocket_posting(p_partner, p_credits, p_granted) || ledger_posting(p_against, '', -p_credits));
  -- The credits first repay what the pocket owes, and with it the commission that was reversed.
  IF pocket.own < pocket.own_granted AND p_granted < p_credits THEN
    PERFORM ledger_match_earnings(p_user, p_cause, p_earnings_hold);
  END IF;
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;

-- server/ledger/sql/take.sql

-- Takes credits out of one pocket, granted ones first, but only what is free in it: credits that running
-- requests hold, or that other pockets owe, stay. If `p_credits` exceeds that, takes nothing and returns no transaction, only the
-- free amount. The same cause is booked only once; a repetition returns the first booking.
CREATE OR REPLACE FUNCTION ledger_take(p_user text, p_partner text, p_cause text, p_transaction text, p_credits bigint, p_note text)
RETURNS TABLE (transaction_id text, balance bigint, free bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  spare bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  spare := greatest(0, least(pocket.own - pocket.own_held, wallet_row.money - wallet_row.held));
  RETURN QUERY SELECT t.id, t.balance_after, spare, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = 'adjustment' AND t.cause_id = p_cause;
  IF FOUND THEN RETURN; END IF;

  IF p_credits <= 0 OR p_credits > spare THEN
    RETURN QUERY SELECT NULL::text,
      ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, pocket.allowance_left), spare, false;
    RETURN;
  END IF;
  after := ledger_spendable(wallet_row.money - p_credits, wallet_row.held, pocket.own - p_credits, pocket.own_held, pocket.allowance_left);
  UPDATE wallet SET money = money - p_credits WHERE user_id = p_user;
  UPDATE user_app SET own = own - p_credits, own_granted = own_granted - least(greatest(0, own_granted), p_credits)
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, note, postings)
    VALUES (p_user, p_transaction, p_partner, 'adjustment', p_cause, -p_credits, after, p_note,
      ledger_pocket_posting(p_partner, -p_credits, -least(greatest(0, pocket.own_granted), p_credits))
      || ledger_posting('promotion_expense', '', p_credits));
  RETURN QUERY SELECT p_transaction, after, spare - p_credits, false;
END $$;

-- server/ledger/sql/save-allowance.sql

-- Saves the allowance: how much a partner may spend of the user's other credits. A save replaces the current
-- allowance, discards a paused one and starts a new epoch, so that older holds return nothing to it. Null
-- removes the allowance. The same save is booked only once.
CREATE OR REPLACE FUNCTION ledger_save_allowance(p_user text, p_partner text, p_allowance bigint, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  before bigint;
  after bigint;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  RETURN QUERY SELECT t.id, t.balance_after, t.credits_added, true FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = 'permission' AND t.cause_id = p_save;
  IF FOUND THEN RETURN; END IF;

  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  before := ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, pocket.allowance_left);
  after := ledger_spendable(wallet_row.money, wallet_row.held, pocket.own, pocket.own_held, coalesce(p_allowance, 0));

  UPDATE user_app SET allowance_left = coalesce(p_allowance, 0), allowance_saved = p_allowance, allowance_paused = NULL, epoch = epoch + 1
    WHERE user_id = p_user AND partner_id = p_partner;
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, credits_added, allowance_saved)
    VALUES (p_user, p_transaction, p_partner, 'permission', p_save, 0, after, greatest(0, after - before), coalesce(p_allowance, 0));
  RETURN QUERY SELECT p_transaction, after, greatest(0, after - before), false;
END $$;

-- server/ledger/sql/pause-allowance.sql

-- Removes the allowance and remembers the unspent part for resume-allowance.sql. Returns no row if nothing
-- was left. Running requests keep what they hold of it; that part is not remembered.
CREATE OR REPLACE FUNCTION ledger_pause_allowance(p_user text, p_partner text, p_save text, p_transaction text)
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

-- server/ledger/sql/resume-allowance.sql

-- Restores a paused allowance as a new save. Returns no row if none is paused.
CREATE OR REPLACE FUNCTION ledger_resume_allowance(p_user text, p_partner text, p_save text, p_transaction text)
RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean, allowance_saved bigint)
LANGUAGE plpgsql AS $$
DECLARE
  paused bigint;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT allowance_paused INTO paused FROM user_app WHERE user_id = p_user AND partner_id = p_partner;
  IF paused IS NULL THEN RETURN; END IF;
  RETURN QUERY SELECT s.*, paused FROM ledger_save_allowance(p_user, p_partner, paused, p_save, p_transaction) s;
END $$;

-- server/ledger/sql/clock.sql

-- The clock of spending limits. Tests replace it.
CREATE OR REPLACE FUNCTION ledger_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() $$;

-- server/ledger/sql/instant.sql

-- When a local time first occurs in a time zone. Where clocks go back at midnight, it occurs twice.
CREATE OR REPLACE FUNCTION ledger_instant(zone text, local_time timestamp) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN timezone(zone, i - interval '1 hour') >= local_time THEN i - interval '1 hour' ELSE i END
  FROM timezone(zone, local_time) AS i
$$;

-- server/ledger/sql/period-start.sql

-- The start of the calendar day, week (from Monday) or month that contains an instant.
CREATE OR REPLACE FUNCTION ledger_period_start(kind text, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_instant(zone, date_trunc(kind, timezone(zone, at)))
$$;

-- server/ledger/sql/period-end.sql

-- The end of the calendar day, week (from Monday) or month that contains an instant.
CREATE OR REPLACE FUNCTION ledger_period_end(kind text, zone text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_instant(zone, date_trunc(kind, timezone(zone, at)) + ('1 ' || kind)::interval)
$$;

-- server/ledger/sql/today.sql

-- The day by which limits of partners count, in UTC.
CREATE OR REPLACE FUNCTION ledger_today() RETURNS date LANGUAGE sql VOLATILE AS $$
  SELECT timezone('UTC', ledger_clock())::date
$$;

-- server/ledger/sql/next-period-end.sql

-- The end of the period that contains `at`, after one that ended at `ended`. If the time zone has changed since, the
-- period in between is the one that comes closest to a whole one: up to 12 hours shorter or longer. A zone that this
-- database does not know counts as UTC, because a settlement must not fail.
CREATE OR REPLACE FUNCTION ledger_next_period_end(kind text, zone text, ended timestamptz, at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN greatest(
    ledger_instant(zone, date_trunc(kind, timezone(zone, ended) + interval '12 hours') + ('1 ' || kind)::interval),
    ledger_period_end(kind, zone, at));
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN ledger_period_end(kind, 'UTC', at);
END $$;

-- server/ledger/sql/partner-limits.sql

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

-- server/ledger/sql/spent-in-app.sql

-- What a user spent in an app on the running day and in its month (UTC), and when these end.
CREATE OR REPLACE FUNCTION ledger_spent_in_app(app user_app, today date)
RETURNS TABLE (day bigint, month bigint, day_ends timestamptz, month_ends timestamptz)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN app.spent_on >= today THEN app.day_spent ELSE 0 END,
    CASE WHEN app.spent_on >= date_trunc('month', today::timestamp) THEN app.month_spent ELSE 0 END,
    timezone('UTC', today + interval '1 day'),
    timezone('UTC', date_trunc('month', today::timestamp) + interval '1 month')
$$;

-- server/ledger/sql/partner-limit-marks.sql

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

-- server/ledger/sql/partner-limit-marks-new.sql

-- A new app must look for limits if there is a default for all apps.
CREATE OR REPLACE FUNCTION partner_limit_marks_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.limits_users := NEW.limits_users OR EXISTS (SELECT FROM partner_limit l WHERE l.partner_id = '');
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER partner_limit_marks_new BEFORE INSERT ON partner
  FOR EACH ROW EXECUTE FUNCTION partner_limit_marks_new();

-- server/ledger/sql/limits.sql

-- What limits leave an app: the user's own for the app and for all apps, unless `p_zone` is null, and those of the
-- partner if `p_by_partner`. `free` is the most that a request may hold now, and `per_request` the most that any may;
-- null if nothing limits it. `refusal` names a limit that the request would not fit even if none of the user's requests
-- were running, and `resets_at` is when its period ends. Of several, the one that lasts longest, and rather one that the user
-- cannot raise. `p_cost` is the least that the request costs and `p_need` the least that must be free; `p_held` is what all requests of the
-- user hold. The hold `p_without` counts no longer. The caller has locked the wallet.
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

-- server/ledger/sql/count-spent.sql

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

-- server/ledger/sql/limits-of.sql

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

-- server/ledger/sql/save-limits.sql

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

-- server/ledger/sql/forget-limits.sql

-- Removes limits that limit nothing, so that the user's requests cost what those of other users cost.
CREATE OR REPLACE FUNCTION ledger_forget_limits(p_user text, p_partner text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM spending_limit l WHERE l.user_id = p_user AND l.partner_id = p_partner AND l.stopped_at IS NULL
    AND coalesce(l.per_request, l.per_day, l.per_week, l.per_month) IS NULL AND l.model_rule IS NULL;
  UPDATE wallet a SET limits_zone = NULL
    WHERE a.user_id = p_user AND NOT EXISTS (SELECT FROM spending_limit l WHERE l.user_id = p_user);
$$;

-- server/ledger/sql/stop.sql

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

-- server/ledger/sql/resume-spending.sql

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

-- server/ledger/sql/read.sql

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

-- server/ledger/sql/draw.sql

-- Takes an amount from the user's other pockets: first from '' (outside any app), then from the other
-- partners' pockets, oldest first; of each pocket, granted credits first. Returns the postings, in which the
-- amounts taken are negative.
CREATE OR REPLACE FUNCTION ledger_draw(p_user text, p_partner text, p_wanted bigint) RETURNS jsonb
LANGUAGE sql AS $$
  WITH others AS (
    SELECT p.partner_id, greatest(0, p.own_granted) AS granted, greatest(0, p.own - p.own_held) AS free,
           coalesce(sum(greatest(0, p.own - p.own_held)) OVER (
             ORDER BY p.partner_id <> '', p.created_at, p.partner_id
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS free_before
    FROM user_app p WHERE p.user_id = p_user AND p.partner_id <> p_partner
  ),
  drawn AS (
    UPDATE user_app u SET own = u.own - least(o.free, p_wanted - o.free_before)::bigint,
      own_granted = u.own_granted - least(o.granted, o.free, p_wanted - o.free_before)::bigint
    FROM others o WHERE u.user_id = p_user AND u.partner_id = o.partner_id AND o.free > 0 AND p_wanted > o.free_before
    RETURNING u.partner_id, least(o.free, p_wanted - o.free_before)::bigint AS amount, o.granted
  )
  SELECT coalesce(jsonb_agg(ledger_pocket_posting(d.partner_id, -d.amount, -least(d.granted, d.amount)) -> 0), '[]')
  FROM drawn d
$$;

-- server/ledger/sql/count-overrun.sql

-- Adds an overrun to the sums of the user and the app, and pauses those whose sum passes the limit: admission
-- then returns 'paused_for_review' until an operator resumes them (resume-user.sql). A sum covers the 24 hours from
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

-- server/ledger/sql/record-loss.sql

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

-- server/ledger/sql/settlement-postings.sql

-- The postings of a settled request. `p_drawn` are those of other pockets (draw.sql). Granted credits earn no
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

-- server/ledger/sql/reverse-unpaid.sql

-- Reverses the commission on the credits that a request took although they are no longer there (`p_unpaid`), like
-- any other (match-earnings.sql). Returns the outcome of the settlement.
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

-- server/ledger/sql/corrected-postings.sql

-- The postings that a correction of a request books: what the request would have posted if it had cost `p_returned` less
-- credits and `p_cost` less for the provider, both since it was charged, less what is posted by now. Credits return in the
-- reverse of the order in which they were taken: to the pockets of other apps first, the newest of them first, and to the
-- app's own pocket last; of each pocket, bought credits first. If the commission is final, the operator bears its part.
CREATE OR REPLACE FUNCTION ledger_corrected_postings(
  p_request ledger_transaction, p_returned bigint, p_cost bigint, p_is_final boolean
) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  own_take bigint;
  own_granted bigint;
  drawn jsonb;
  charge CONSTANT bigint := -p_request.credits - p_returned;
  cost CONSTANT bigint := p_request.provider_cost - p_cost;
BEGIN
  WITH taken AS (
    SELECT p.partner_id, -p.amount AS amount, -coalesce(p.granted, 0) AS granted,
           coalesce(sum(-p.amount) OVER (
             ORDER BY p.partner_id = p_request.partner_id, p.partner_id = '', u.created_at DESC, p.partner_id DESC
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM ledger_entries(p_request.kind, p_request.partner_id, p_request.credits, p_request.provider_cost,
           p_request.partner_share, p_request.postings) p
    JOIN user_app u ON u.user_id = p_request.user_id AND u.partner_id = p.partner_id
    WHERE p.account = 'pocket'
  ),
  kept AS (
    SELECT partner_id, (amount - greatest(0, least(amount, p_returned - before)))::bigint AS amount, granted FROM taken
  )
  SELECT coalesce(sum(k.amount) FILTER (WHERE k.partner_id = p_request.partner_id), 0),
         coalesce(sum(least(k.granted, k.amount)) FILTER (WHERE k.partner_id = p_request.partner_id), 0),
         coalesce(jsonb_agg(ledger_pocket_posting(k.partner_id, -k.amount, -least(k.granted, k.amount)) -> 0)
           FILTER (WHERE k.partner_id <> p_request.partner_id AND k.amount > 0), '[]')
    INTO own_take, own_granted, drawn FROM kept k;

  RETURN (
    WITH wanted AS (
      SELECT p.account, p.partner_id, p.amount, coalesce(p.granted, 0) AS granted
      FROM jsonb_to_recordset(ledger_settlement_postings(
        p_request.partner_id, own_take, own_granted, drawn, cost, greatest(0, charge - cost)))
        AS p (account text, partner_id text, amount bigint, granted bigint)
    ),
    posted AS (
      SELECT e.account, e.partner_id, e.amount, coalesce(e.granted, 0) AS granted
      FROM ledger_entries(p_request.kind, p_request.partner_id, p_request.credits, p_request.provider_cost,
        p_request.partner_share, p_request.postings) e
      UNION ALL
      SELECT CASE e.account WHEN 'correction_loss' THEN 'partner_earnings' ELSE e.account END,
             CASE e.account WHEN 'correction_loss' THEN p_request.partner_id ELSE e.partner_id END, e.amount, coalesce(e.granted, 0)
      FROM correction c
      JOIN ledger_transaction t ON t.user_id = c.user_id AND t.kind = 'correction' AND t.cause_id = c.transaction_id || ':' || c.batch_id
      CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) e
      WHERE c.transaction_id = p_request.id AND c.booked_at IS NOT NULL
    ),
    change AS (
      SELECT account, partner_id, sum(amount)::bigint AS amount, sum(granted)::bigint AS granted
      FROM (SELECT * FROM wanted UNION ALL SELECT account, partner_id, -amount, -granted FROM posted) e GROUP BY 1, 2
    )
    SELECT jsonb_agg(CASE
      WHEN account = 'pocket' THEN ledger_pocket_posting(partner_id, amount, granted) -> 0
      WHEN account = 'partner_earnings' AND p_is_final THEN ledger_posting('correction_loss', '', amount) -> 0
      ELSE ledger_posting(account, partner_id, amount) -> 0 END)
    FROM change WHERE amount <> 0);
END $$;

-- server/ledger/sql/correct.sql

-- Books the corrections of one user in an approved batch, at most `p_limit` of them, each once: credits return to the
-- pockets that paid for the request, and the postings of the request are taken back as far as they were too high. Returns
-- how many were booked. An allowance that the request used up stays used. Each correction is a separate transaction; its
-- note names that of the request, its related_id the batch.
CREATE OR REPLACE FUNCTION ledger_correct(p_batch text, p_user text, p_limit integer, p_default_hold interval) RETURNS integer
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  item correction;
  request ledger_transaction;
  earlier record;
  change jsonb;
  after bigint;
  owed boolean;
  booked integer := 0;
  posted_at timestamptz;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  PERFORM FROM correction_batch WHERE id = p_batch AND state = 'approved';
  IF NOT FOUND THEN RETURN 0; END IF;
  owed := EXISTS (SELECT 1 FROM user_app WHERE user_id = p_user AND own < own_granted);

  FOR item IN
    SELECT * FROM correction WHERE batch_id = p_batch AND user_id = p_user AND booked_at IS NULL
    ORDER BY transaction_id LIMIT p_limit
  LOOP
    SELECT * INTO STRICT request FROM ledger_transaction WHERE id = item.transaction_id AND user_id = p_user AND kind = 'usage';
    SELECT coalesce(sum(c.credits), 0)::bigint AS credits, coalesce(sum(c.cost), 0)::bigint AS cost INTO earlier
      FROM correction c WHERE c.transaction_id = item.transaction_id AND c.booked_at IS NOT NULL;
    change := ledger_corrected_postings(request, earlier.credits + item.credits, earlier.cost + item.cost,
      request.created_at <= clock_timestamp()
        - greatest(ledger_dispute_period(), ledger_earnings_hold(request.partner_id, p_default_hold)));

    UPDATE wallet SET money = money + item.credits WHERE user_id = p_user RETURNING * INTO wallet_row;
    UPDATE user_app u SET own = u.own + p.amount, own_granted = u.own_granted + coalesce(p.granted, 0)
      FROM jsonb_to_recordset(change) AS p (account text, partner_id text, amount bigint, granted bigint)
      WHERE p.account = 'pocket' AND u.user_id = p_user AND u.partner_id = p.partner_id;
    SELECT ledger_spendable(wallet_row.money, wallet_row.held, own, own_held, allowance_left) INTO STRICT after
      FROM user_app WHERE user_id = p_user AND partner_id = request.partner_id;
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
      VALUES (p_user, 'txn_' || substr(md5(request.id || ':' || p_batch), 1, 22), request.partner_id, 'correction',
        request.id || ':' || p_batch, p_batch, item.credits, after, request.id, change)
      RETURNING created_at INTO posted_at;
    UPDATE correction SET booked_at = posted_at WHERE batch_id = p_batch AND transaction_id = item.transaction_id;
    booked := booked + 1;
  END LOOP;

  -- The credits first repay what a pocket owes, and with it the commission that was reversed.
  IF owed AND booked > 0 THEN PERFORM ledger_match_earnings(p_user, p_batch, p_default_hold); END IF;
  RETURN booked;
END $$;

-- server/ledger/sql/close-proposal.sql

-- Ends the preparation of a batch: computes what each user gets back, less what was proposed or paid for the same request
-- before, and drops the rest. Proposals are closed one after the other, and before or after a month is removed to an archive
-- (the watermark is written for this), so that no request is corrected twice and each receipt stays.
CREATE OR REPLACE FUNCTION ledger_close_proposal(p_batch text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  archived_until timestamptz;
BEGIN
  UPDATE watermark SET up_to = up_to WHERE name = 'archive' RETURNING up_to INTO archived_until;
  WITH known AS (
    SELECT c.transaction_id, -t.credits AS charge, t.provider_cost, coalesce(e.credits, 0)::bigint AS earlier,
           coalesce(e.cost, 0)::bigint AS earlier_cost
    FROM correction c
    JOIN ledger_transaction t ON t.id = c.transaction_id AND t.user_id = c.user_id AND t.kind = 'usage'
      AND t.created_at >= archived_until
    LEFT JOIN LATERAL (
      SELECT sum(o.credits) AS credits, sum(o.cost) AS cost
      FROM correction o JOIN correction_batch b ON b.id = o.batch_id
      WHERE o.transaction_id = c.transaction_id AND b.state IN ('proposed', 'approved', 'booked')) e ON true
    WHERE c.batch_id = p_batch
  )
  UPDATE correction c SET charged = k.charge - k.earlier, credits = k.charge - k.earlier - c.due,
    cost = greatest(0, k.provider_cost - k.earlier_cost - c.due_cost)
  FROM known k WHERE c.batch_id = p_batch AND c.transaction_id = k.transaction_id;
  DELETE FROM correction WHERE batch_id = p_batch AND (credits IS NULL OR credits <= 0);

  UPDATE correction_batch b SET state = 'proposed', requests = s.requests, users = s.users, credits = s.credits
  FROM (SELECT count(*)::int AS requests, count(DISTINCT user_id)::int AS users, coalesce(sum(credits), 0)::bigint AS credits
        FROM correction WHERE batch_id = p_batch) s
  WHERE b.id = p_batch AND b.state = 'preparing' AND s.requests > 0;
  DELETE FROM correction_batch WHERE id = p_batch AND state = 'preparing';
END $$;

-- server/ledger/sql/key-restriction.sql

-- Why a user key may not be used for a request, or null. The client IP or the origin of the request is null if
-- it is not known, which no restriction accepts. Null and empty lists restrict nothing. Written so that
-- PostgreSQL inlines it: the address is parsed only if there are networks to compare it with.
CREATE OR REPLACE FUNCTION ledger_key_restriction(
  key_origins text[], key_networks inet[], app_networks inet[], origin text, client_ip text
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN cardinality(app_networks) > 0 AND (client_ip::inet <<= ANY (app_networks)) IS NOT TRUE THEN 'app_networks'
    WHEN cardinality(key_networks) > 0 AND (client_ip::inet <<= ANY (key_networks)) IS NOT TRUE THEN 'key_networks'
    WHEN cardinality(key_origins) > 0 AND (origin = ANY (key_origins)) IS NOT TRUE THEN 'key_origins'
  END
$$;

-- server/ledger/sql/keeps.sql

-- Whether a hold may outlive its request: only while `free`, what else is free in the pocket and in the wallet, is much
-- larger, so that a kept hold is hardly ever in the way, and while few of the user's requests run.
CREATE OR REPLACE FUNCTION ledger_keeps(amount bigint, free bigint, running integer, max_running integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 8 * amount <= free AND 4 * running <= max_running
$$;

-- server/ledger/sql/batch.sql

-- Admits and settles requests in one round trip and one commit. The arguments are columns: s_… of the
-- settlements, a_… of the admissions. `n` in the result numbers the settlements from 1 and continues with the
-- admissions.
--
-- All wallets are locked first, in one order, so that concurrent calls do not deadlock. Settlements precede
-- admissions, so that the credits they free can be spent. Each call admits at most one request per user: further
-- admissions return 'again' and belong in a later call. Plain settlements are made all at once. `s_turn` numbers the
-- settlements of one user from 1, and of those that are not plain, each finds the ones before it done. A settlement
-- without a charge releases its hold. `a_need` and `a_want` are exact picocredits before commission. A settlement that
-- costs more than its hold may pause the user or the app: `pauses` says which (see count-overrun.sql). A difference of
-- one microcredit is rounding.
--
-- A hold with the flag `kept` outlives its request, for the next one of the same key: see "Kept holds" in
-- docs/ledger.md. `s_hold` is the hold that a request ran in. `s_held` is the part of a kept hold that the request may
-- take; null releases the hold in any case.
-- `a_hold` is the hold that a request would use: it is only read, and if anything is not as usual, the outcome is
-- 'make_hold'. Without `a_hold`, the request makes a hold, kept if `a_keep` allows it.
--
-- The limits of a user and of a partner (limits.sql) cost others nothing: `wallet.limits_zone` is null and
-- `partner.limits_users` false, and no further row is read. Under a limit, no hold is kept. What a user spends in an app is
-- counted for all, in a row that is written anyway, so that a limit that is set later knows it. The outcome names a limit that refuses a request, and `amount` is when it resets.
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
  s_output integer[], s_reasoning integer[], s_web_searches integer[], s_estimated boolean[], s_cost_reported boolean[], s_outcome text[],
  s_attempts jsonb[],
  a_key_hash bytea[], a_request text[], a_model text[], a_need numeric[], a_want numeric[],
  a_client_ip text[], a_origin text[], a_hold text[], a_keep boolean[], a_patient boolean[],
  p_minimum bigint, p_max_running integer, p_lease interval, p_user_overrun bigint, p_app_overrun bigint
) RETURNS TABLE (
  n integer, outcome text, user_id text, partner_id text, key_id text, app_user_id text, rate_bp integer, amount bigint,
  balance bigint, pauses text, kept boolean
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
  settled integer := 0;
  rows_of_turn integer;
  now_at timestamptz;
  today date;
  month_starts date;
BEGIN
  -- Lock the wallets. Requests in kept holds only read.
  IF making THEN
    SELECT array_agg(k.user_id) INTO a_user FROM unnest(a_key_hash, a_hold) AS r (key_hash, hold_id)
    LEFT JOIN LATERAL (SELECT k.user_id FROM user_key k WHERE k.hash = r.key_hash AND r.hold_id IS NULL OFFSET 0) k ON true;
  END IF;
  IF settling > 0 OR making THEN
    PERFORM 1 FROM (SELECT DISTINCT w.user_id FROM unnest(s_user || a_user) AS w (user_id) ORDER BY 1) w
    CROSS JOIN LATERAL (SELECT 1 FROM wallet a WHERE a.user_id = w.user_id FOR UPDATE OF a) a;
  END IF;

  FOR current_turn IN 0..turns LOOP
    -- After the locks: a batch that waited for one past midnight counts on the new day, as others may have by then. What
    -- limits count is booked at the same instant, so that it can be audited.
    now_at := ledger_clock();
    today := timezone('UTC', now_at)::date;
    month_starts := date_trunc('month', today::timestamp);

    IF current_turn = 0 THEN
      CONTINUE WHEN settling_kept = 0;
      -- Settle what is plain: a kept hold covers it and stays as it is, and bought credits of the app's own pocket pay.
      -- Of one user, either all are plain or none, because each counts for the next. They are booked in order.
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
          web_searches, estimated, cost_reported, outcome, attempts, created_at)
        SELECT s.user_id, 'txn_' || substr(s.request_id, 5), s.partner_id, 'usage', -s.charge, s.balance,
          s.key_id, s.held, s.rate_bp, s.cost, s.charge - s.cost, s_model[s.n], s_provider[s.n], s_price_version[s.n],
          s_input[s.n], s_cache_read[s.n], s_cache_write[s.n], s_cache_write_1h[s.n], s_output[s.n], s_reasoning[s.n],
          s_web_searches[s.n], s_estimated[s.n], s_cost_reported[s.n], s_outcome[s.n], s_attempts[s.n],
          now_at - (settling - s.n) * interval '1 microsecond'
        FROM settled s
      )
      SELECT s.n::integer, 'settled', NULL::text, NULL::text, NULL::text, NULL::text, NULL::integer, s.charge, s.balance,
        NULL::text, true
      FROM settled s;
    ELSE
      -- Settle the others: delete the hold unless it is kept, move the credits, write the transaction, which is also the
      -- receipt. A request that is already booked changes nothing: its hold may belong to another one by now.
      RETURN QUERY
      WITH ended AS (
        SELECT r.n, r.user_id, r.request_id, r.cost, r.charge, r.hold_id, h.partner_id, h.key_id, h.epoch, h.rate_bp, h.limited,
          least(r.held, h.amount) AS held, t.take, u.own AS own_before, u.own_granted AS granted_before, w.own_wanted, k.stays,
          CASE WHEN k.stays THEN h.amount ELSE 0 END AS kept_amount,
          CASE WHEN k.stays THEN 0 ELSE h.amount END AS freed,
          CASE WHEN k.stays THEN 0 ELSE h.own_part END AS own_freed
        FROM unnest(s_turn, s_user, s_request, s_hold, s_held, s_cost, s_charge) WITH ORDINALITY
          AS r (turn, user_id, request_id, hold_id, held, cost, charge, n)
        CROSS JOIN LATERAL (
          SELECT h.user_id, h.partner_id, h.key_id, h.amount, h.own_part, h.epoch, h.rate_bp, h.kept, h.limited
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
        RETURNING s.n, s.user_id, s.request_id, s.hold_id, s.partner_id, s.key_id, s.rate_bp, s.limited, s.held, s.kept_amount, s.freed, s.stays, s.cost, s.charge, s.take, s.own_take, s.drawn,
          u.own, u.own_held, u.allowance_left,
          CASE WHEN s.epoch = u.epoch AND s.take > s.own_wanted THEN s.take - s.own_wanted END AS allowance_spent,
          least(greatest(0, s.granted_before), s.own_take) AS own_granted_take,
          -- What this request took beyond the credits that were bought: a refund or dispute took them while it ran.
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
          -- The partner earns the part of the payment above the provider cost. What the user did not pay is our
          -- loss.
          least(o.charge - o.cost, greatest(0, o.take - o.cost)) AS partner_share
      ),
      insert_transaction AS (
        INSERT INTO ledger_transaction (user_id, id, partner_id, kind, credits, balance_after, allowance_spent, postings,
          key_id, held, rate_bp, provider_cost, partner_share, model, provider, price_version,
          input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens,
          web_searches, estimated, cost_reported, outcome, attempts, created_at)
        SELECT b.user_id, 'txn_' || substr(b.request_id, 5), b.partner_id, 'usage', -b.take, b.balance, b.allowance_spent,
          -- Most requests spend bought credits of their own pocket: their postings follow from the columns (entries.sql).
          CASE WHEN b.own_granted_take <> 0 OR b.drawn IS NOT NULL THEN
            ledger_settlement_postings(b.partner_id, b.own_take, b.own_granted_take, b.drawn, b.cost, b.partner_share) END,
          b.key_id, b.held, b.rate_bp, b.cost, b.partner_share, s_model[b.n], s_provider[b.n], s_price_version[b.n],
          s_input[b.n], s_cache_read[b.n], s_cache_write[b.n], s_cache_write_1h[b.n], s_output[b.n], s_reasoning[b.n],
          s_web_searches[b.n], s_estimated[b.n], s_cost_reported[b.n], s_outcome[b.n], s_attempts[b.n], now_at
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
        CASE WHEN b.cost > b.held + 1 THEN (SELECT o.pauses FROM count_overruns o WHERE o.n = b.n) END, b.stays
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
      EXISTS (SELECT 1 FROM hold h WHERE h.user_id = r.user_id AND h.request_id = r.hold_id)
    FROM unnest(s_user, s_request, s_hold) WITH ORDINALITY AS r (user_id, request_id, hold_id, n)
    CROSS JOIN LATERAL (
      SELECT t.user_id, t.credits, t.balance_after FROM ledger_transaction t
      WHERE t.id = 'txn_' || substr(r.request_id, 5)
        -- Not one that this call has just booked, unless it was asked to twice.
        AND (t.xmin <> pg_current_xact_id()::xid OR array_position(s_request, r.request_id) < r.n) OFFSET 0) t
    WHERE t.user_id = r.user_id;
  END IF;

  -- Admit: key → partner → restrictions → model → wallet → hold.
  IF using_kept THEN
    RETURN QUERY
    SELECT settling + r.n::integer, CASE WHEN k.key_id IS NULL THEN 'make_hold' ELSE 'held' END,
      k.user_id, k.partner_id, k.key_id, k.app_user_id, k.rate_bp, k.amount, NULL::bigint, NULL::text, true
    FROM unnest(a_key_hash, a_model, a_want, a_client_ip, a_origin, a_hold)
      WITH ORDINALITY AS r (key_hash, model, want, client_ip, origin, hold_id, n)
    LEFT JOIN LATERAL (
      SELECT k.key_id, k.user_id, k.partner_id, u.app_user_id, k.rate_bp, w.amount
      FROM (
        SELECT k.id AS key_id, k.user_id, k.partner_id, p.rate_bp
        FROM user_key k JOIN partner p ON p.id = k.partner_id
        WHERE k.hash = r.key_hash AND k.revoked_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL
          AND NOT p.limits_users AND (p.all_models OR r.model = ANY (p.allowed_models))
          AND ledger_key_restriction(k.origins, k.networks, p.key_networks, r.origin, r.client_ip) IS NULL
          AND NOT k.exact_use AND k.last_used_at > clock_timestamp() - interval '1 minute' OFFSET 0) k
      CROSS JOIN LATERAL (
        SELECT h.amount, h.rate_bp FROM hold h
        WHERE h.user_id = k.user_id AND h.request_id = r.hold_id AND h.kept AND h.key_id = k.key_id OFFSET 0) h
      CROSS JOIN LATERAL (
        SELECT a.money, a.held FROM wallet a
        WHERE a.user_id = k.user_id AND a.paused_at IS NULL AND a.limits_zone IS NULL AND a.running <= p_max_running OFFSET 0) a
      CROSS JOIN LATERAL (
        SELECT u.app_user_id, u.own, u.own_held FROM user_app u
        WHERE u.user_id = k.user_id AND u.partner_id = k.partner_id OFFSET 0) u
      CROSS JOIN LATERAL (SELECT ledger_charge(r.want, k.rate_bp), least(u.own - u.own_held, a.money - a.held)) AS w (amount, free)
      -- A refund may have taken what was held.
      WHERE h.rate_bp = k.rate_bp AND h.amount >= w.amount AND w.free >= greatest(0, p_minimum - h.amount)
    ) k ON true
    WHERE r.hold_id IS NOT NULL;
  END IF;

  IF making THEN
    RETURN QUERY
    WITH judged AS (
      SELECT r.n, r.request_id, r.patient, k.key_id, k.user_id, k.partner_id, k.rate_bp, k.mark_used, k.limits_users, u.app_user_id, u.epoch,
        least(s.spendable, s.want_credits) AS amount, s.spendable < s.want_credits AS lowered,
        greatest(0, u.own - u.own_held) AS own_free,
        r.keep AND NOT k.exact_use AND a.limits_zone IS NULL AND NOT k.limits_users AND ledger_keeps(
          s.want_credits, least(u.own - u.own_held, a.money - a.held) - s.want_credits, a.running + 1, p_max_running) AS kept,
        CASE
          WHEN k.key_id IS NULL THEN 'invalid_user_key'
          WHEN array_position(a_user, k.user_id) < r.n THEN 'again'
          WHEN k.disabled THEN 'partner_disabled'
          WHEN k.restriction IS NOT NULL THEN 'restricted_to_' || k.restriction
          WHEN NOT k.model_allowed THEN 'model_not_allowed'
          WHEN NOT s.paused AND l.refusal IS NOT NULL THEN l.refusal
          WHEN NOT s.paused AND a.running >= p_max_running THEN 'too_many_running'
          WHEN NOT s.paused AND s.spendable >= s.need_credits THEN 'held'
          ELSE (
            SELECT ledger_status(s.paused, s.spendable, ledger_idle(p, a.money), a.money, p.allowance_saved, s.need_credits)
            FROM user_app p WHERE p.user_id = k.user_id AND p.partner_id = k.partner_id)
        END AS outcome,
        extract(epoch FROM l.resets_at)::bigint AS resets_at
      FROM unnest(a_key_hash, a_request, a_model, a_need, a_want, a_client_ip, a_origin, a_hold, a_keep, a_patient)
        WITH ORDINALITY AS r (key_hash, request_id, model, need, want, client_ip, origin, hold_id, keep, patient, n)
      LEFT JOIN LATERAL (
        SELECT k.id AS key_id, k.user_id, k.partner_id AS partner_id, p.rate_bp, p.disabled_at IS NOT NULL AS disabled,
          p.paused_at, p.limits_users,
          p.all_models OR r.model = ANY (p.allowed_models) AS model_allowed,
          ledger_key_restriction(k.origins, k.networks, p.key_networks, r.origin, r.client_ip) AS restriction,
          -- The time of last use is exact to the minute, to avoid a write per request. It is exact if the
          -- next new key may replace the least recently used one.
          k.exact_use, k.exact_use OR k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - interval '1 minute' AS mark_used
        FROM user_key k JOIN partner p ON p.id = k.partner_id
        WHERE k.hash = r.key_hash AND k.revoked_at IS NULL OFFSET 0) k ON true
      LEFT JOIN LATERAL (
        SELECT a.money, a.held, a.running, a.paused_at, a.limits_zone FROM wallet a WHERE a.user_id = k.user_id OFFSET 0) a ON true
      LEFT JOIN LATERAL (
        SELECT u.app_user_id, u.epoch, u.own, u.own_held, u.allowance_left
        FROM user_app u WHERE u.user_id = k.user_id AND u.partner_id = k.partner_id OFFSET 0) u ON true
      -- Only for users with limits of their own, and in apps with limits.
      LEFT JOIN LATERAL (
        SELECT l.free, l.per_request, l.refusal, l.resets_at
        FROM (SELECT ledger_charge(r.need, k.rate_bp) AS cost OFFSET 0) c CROSS JOIN LATERAL
          ledger_limits(k.user_id, k.partner_id, a.limits_zone, k.limits_users, r.model, c.cost, greatest(p_minimum, c.cost), a.held, NULL) l
        WHERE a.limits_zone IS NOT NULL OR k.limits_users OFFSET 0) l ON true
      CROSS JOIN LATERAL (SELECT
        least(ledger_spendable(a.money, a.held, u.own, u.own_held, u.allowance_left), l.free),
        greatest(p_minimum, ledger_charge(r.need, k.rate_bp)),
        least(ledger_charge(r.want, k.rate_bp), l.per_request),
        coalesce(a.paused_at, k.paused_at) IS NOT NULL) AS s (spendable, need_credits, want_credits, paused)
      WHERE r.hold_id IS NULL
    ),
    -- Kept holds count as running. If one may be in the way, the caller returns those that are idle and asks again.
    decided AS (
      SELECT j.n, j.request_id, j.key_id, j.user_id, j.partner_id, j.rate_bp, j.mark_used, j.limits_users, j.app_user_id, j.epoch,
        j.own_free, j.kept, coalesce(w.holds, j.resets_at, j.amount) AS amount,
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
      INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until, kept, limited)
      SELECT h.user_id, h.request_id, h.partner_id, h.key_id, h.amount, least(h.amount, h.own_free), h.epoch, h.rate_bp,
        clock_timestamp() + p_lease, h.kept, h.limits_users
      FROM decided h WHERE h.outcome = 'held'
    )
    SELECT settling + d.n::integer, d.outcome, d.user_id, d.partner_id, d.key_id, d.app_user_id, d.rate_bp, d.amount,
      NULL::bigint, NULL::text, d.kept
    FROM decided d;
  END IF;
END $$;

-- server/ledger/sql/resume-user.sql

-- Ends the pause of a user, and starts the sum of overruns again. False if there was no pause.
CREATE OR REPLACE FUNCTION ledger_resume_user(p_user text) RETURNS boolean LANGUAGE sql AS $$
  WITH resumed AS (
    UPDATE wallet SET overrun = 0, overrun_since = NULL, paused_at = NULL
    WHERE user_id = p_user AND paused_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM resumed)
$$;

-- server/ledger/sql/resume-partner.sql

-- Ends the pause of an app, and starts the sum of its overruns again. False if there was no pause.
CREATE OR REPLACE FUNCTION ledger_resume_partner(p_partner text) RETURNS boolean LANGUAGE sql AS $$
  WITH resumed AS (
    UPDATE partner SET overrun = 0, overrun_since = NULL, paused_at = NULL
    WHERE id = p_partner AND paused_at IS NOT NULL RETURNING 1)
  SELECT EXISTS (SELECT FROM resumed)
$$;

-- server/ledger/sql/remake-hold.sql

-- Makes the hold of a running request again, after another instance took this one for dead and released it. The hold is
-- at most what the app can still spend. Returns its amount; null if nothing is left, or the request is already booked.
CREATE OR REPLACE FUNCTION ledger_remake_hold(
  p_user text, p_request text, p_partner text, p_key text, p_amount bigint, p_rate_bp integer, p_lease interval
) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  made hold;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  INSERT INTO hold (user_id, request_id, partner_id, key_id, amount, own_part, epoch, rate_bp, lease_until)
  SELECT p_user, p_request, p_partner, p_key, s.amount, least(s.amount, s.own_free), s.epoch, p_rate_bp, clock_timestamp() + p_lease
  FROM (
    SELECT u.epoch, greatest(0, u.own - u.own_held) AS own_free,
      least(p_amount, ledger_spendable(w.money, w.held, u.own, u.own_held, u.allowance_left)) AS amount
    FROM wallet w JOIN user_app u ON u.user_id = w.user_id WHERE w.user_id = p_user AND u.partner_id = p_partner
  ) s
  WHERE s.amount > 0 AND NOT EXISTS (
    SELECT 1 FROM ledger_transaction t WHERE t.user_id = p_user AND t.id = 'txn_' || substr(p_request, 5))
  ON CONFLICT DO NOTHING
  RETURNING * INTO made;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE wallet SET held = held + made.amount, running = running + 1 WHERE user_id = p_user;
  UPDATE user_app SET own_held = own_held + made.own_part, allowance_left = allowance_left - (made.amount - made.own_part)
  WHERE user_id = p_user AND partner_id = p_partner;
  RETURN made.amount;
END $$;

-- server/ledger/sql/renew-leases.sql

-- Extends the leases of running requests and stores what was metered so far. Such a hold is kept no longer: what was
-- metered is of this request. p_requests: [{user_id, request_id, hold_id, held, cost, charge, receipt}].
CREATE OR REPLACE FUNCTION ledger_renew(p_requests json, p_lease interval) RETURNS void LANGUAGE sql AS $$
  UPDATE hold h SET lease_until = clock_timestamp() + p_lease, kept = false, metered_request = r.request_id, metered_held = r.held,
    metered_cost = r.cost, metered_charge = r.charge, metered_receipt = r.receipt
  FROM json_to_recordset(p_requests)
    AS r (user_id text, request_id text, hold_id text, held bigint, cost bigint, charge bigint, receipt jsonb)
  WHERE h.user_id = r.user_id AND h.request_id = r.hold_id
$$;

-- server/ledger/sql/abandoned-holds.sql

-- Holds whose lease has expired because their instance died, or is paused. At most one per user, as settlement requires.
-- `p_own` are the holds that the calling instance uses: their renewal is only late.
CREATE OR REPLACE FUNCTION ledger_abandoned(p_limit integer, p_own text[])
RETURNS TABLE (user_id text, hold_id text)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (h.user_id) h.user_id, h.request_id
  FROM hold h WHERE h.lease_until < clock_timestamp() AND h.request_id <> ALL (p_own)
  ORDER BY h.user_id LIMIT p_limit
$$;

-- server/ledger/sql/claw-back.sql

-- Takes back the credits of a purchase until `p_refunded` are taken for refunds and `p_disputed` for disputes, in
-- total and together never more than the purchase. Only the differences are booked, so events may arrive
-- twice, late or in any order, and a smaller total returns credits. What is returned is booked first. The pocket
-- may go below zero: it then cannot be spent from, and the next purchase repays it first. Commission that was
-- earned on credits now missing is reversed.
--
-- The bonus credits of the purchase are taken back in the same proportion, rounded down, spent or not. They stay
-- granted credits: own_granted may go below zero, and commission on bought credits does not depend on them.
CREATE OR REPLACE FUNCTION ledger_claw_back(
  p_user text, p_session text, p_refunded bigint, p_disputed bigint,
  p_refund_transaction text, p_dispute_transaction text, p_earnings_hold interval
) RETURNS TABLE (balance bigint, credits bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  wallet_row wallet;
  pocket user_app;
  bought ledger_transaction;
  refunded_before bigint;
  disputed_before bigint;
  refunded bigint;
  disputed bigint;
  steps integer;
  change record;
  total bigint := 0;
  bonus ledger_transaction;
  bonus_granted bigint;
  bonus_change bigint := 0;
  bonus_steps integer;
BEGIN
  SELECT * INTO STRICT wallet_row FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT * INTO STRICT bought FROM ledger_transaction WHERE user_id = p_user AND kind = 'purchase' AND cause_id = p_session;
  SELECT * INTO STRICT pocket FROM user_app WHERE user_id = p_user AND partner_id = bought.partner_id;
  SELECT coalesce(-sum(t.credits) FILTER (WHERE t.note = 'refund'), 0),
         coalesce(-sum(t.credits) FILTER (WHERE t.note = 'chargeback'), 0), count(*)
    INTO refunded_before, disputed_before, steps
    FROM ledger_transaction t WHERE t.user_id = p_user AND t.kind = 'refund' AND t.related_id = p_session;

  refunded := greatest(0, least(p_refunded, bought.credits));
  disputed := greatest(0, least(p_disputed, bought.credits - refunded));
  FOR change IN
    SELECT * FROM (VALUES
      ('refund', refunded_before - refunded, p_refund_transaction),
      ('chargeback', disputed_before - disputed, p_dispute_transaction)) AS c (reason, credits, transaction_id)
    WHERE c.credits <> 0 ORDER BY c.credits DESC
  LOOP
    total := total + change.credits;
    steps := steps + 1;
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
      VALUES (p_user, change.transaction_id, bought.partner_id, 'refund', p_session || ':' || steps, p_session, change.credits,
        ledger_spendable(wallet_row.money + total, wallet_row.held, pocket.own + total, pocket.own_held, pocket.allowance_left),
        change.reason, ledger_postings('pocket', bought.partner_id, change.credits, 'processor_clearing'));
  END LOOP;

  SELECT * INTO bonus FROM ledger_transaction WHERE user_id = p_user AND kind = 'promotion' AND cause_id = p_session;
  IF FOUND THEN
    SELECT -coalesce(sum(t.credits), 0), count(*) + 1 INTO bonus_change, bonus_steps
      FROM ledger_transaction t WHERE t.user_id = p_user AND t.kind = 'promotion' AND t.related_id = p_session;
    bonus_change := bonus_change - ledger_part(bonus.credits, refunded + disputed, bought.credits);
  END IF;
  IF bonus_change <> 0 THEN
    total := total + bonus_change;
    -- With GRANTS_EARN_COMMISSION, the bonus was booked like bought credits.
    bonus_granted := CASE WHEN bonus.postings -> 0 ? 'granted' THEN bonus_change ELSE 0 END;
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
      VALUES (p_user, 'txn_' || substr(md5(p_session || ':bonus:' || bonus_steps), 1, 22), bought.partner_id, 'promotion',
        p_session || ':' || bonus_steps, p_session, bonus_change,
        ledger_spendable(wallet_row.money + total, wallet_row.held, pocket.own + total, pocket.own_held, pocket.allowance_left),
        'refund', ledger_pocket_posting(bought.partner_id, bonus_change, bonus_granted)
          || ledger_posting('promotion_expense', '', -bonus_change));
  END IF;

  IF total <> 0 THEN
    UPDATE wallet SET money = money + total WHERE user_id = p_user;
    UPDATE user_app SET own = own + total, own_granted = own_granted + coalesce(bonus_granted, 0)
      WHERE user_id = p_user AND partner_id = bought.partner_id;
    PERFORM ledger_match_earnings(p_user, p_session, p_earnings_hold);
  END IF;
  RETURN QUERY SELECT
    ledger_spendable(wallet_row.money + total, wallet_row.held, pocket.own + total, pocket.own_held, pocket.allowance_left), total;
END $$;

-- server/ledger/sql/promotion-bonus.sql

-- The bonus credits that a promotion gives for a number of credits bought, in whole credits; 0 if it gives none. The
-- checkout page computes it too (`bonusFor`); a test compares the two on random values.
CREATE OR REPLACE FUNCTION promotion_bonus(p_promotion promotion, p_bought bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_bought < p_promotion.min_purchase THEN 0
    WHEN p_promotion.percent IS NULL THEN p_promotion.credits
    ELSE least(p_promotion.max_credits, div(p_bought::numeric * p_promotion.percent, 100000000)::bigint * 1000000) END
$$;

-- server/ledger/sql/promotion-accounts.sql

-- The accounts that promotions count as one user: a user's own and those of the same mailbox, deleted ones included.
CREATE OR REPLACE FUNCTION promotion_accounts(p_user text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT p_user
  UNION
  SELECT other.id FROM "user" u JOIN "user" other ON other.mailbox_hash = u.mailbox_hash WHERE u.id = p_user
$$;

-- server/ledger/sql/promotion-refusal.sql

-- The reason why a user cannot redeem a promotion now in a pocket; null if they can. Exact only for a caller that
-- locked the wallets of the mailbox and then the promotion.
CREATE OR REPLACE FUNCTION promotion_refusal(
  p_promotion promotion, p_user text, p_partner text, p_bonus bigint, p_now timestamptz
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p_promotion.disabled_at IS NOT NULL OR p_promotion.valid_until <= p_now THEN 'ended'
    WHEN p_promotion.valid_from > p_now THEN 'not_started'
    WHEN p_promotion.partner_id <> p_partner THEN 'other_app'
    WHEN (SELECT count(*) FROM promotion_redemption r
          WHERE r.promotion_id = p_promotion.id AND r.user_id IN (SELECT promotion_accounts(p_user)))
         >= p_promotion.max_per_user THEN 'used'
    -- A payment in progress with another such code counts, or two would be promised their bonus.
    WHEN p_promotion.is_first_purchase AND (
      EXISTS (SELECT 1 FROM purchase b WHERE b.user_id IN (SELECT promotion_accounts(p_user)))
      OR EXISTS (SELECT 1 FROM promotion_redemption r JOIN promotion o ON o.id = r.promotion_id
                 WHERE r.user_id IN (SELECT promotion_accounts(p_user)) AND o.kind = 'purchase' AND o.is_first_purchase))
      THEN 'not_first_purchase'
    WHEN p_promotion.redeemed >= p_promotion.max_redemptions OR p_promotion.given + p_bonus > p_promotion.budget
      THEN 'exhausted'
    WHEN p_bonus <= 0 THEN 'too_small'
  END
$$;

-- server/ledger/sql/take-promotion.sql

-- Writes a redemption that is not booked yet, and counts it.
CREATE OR REPLACE FUNCTION promotion_take(
  p_promotion text, p_redemption text, p_user text, p_partner text, p_credits bigint, p_now timestamptz
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO promotion_redemption (id, promotion_id, user_id, partner_id, credits, created_at)
    VALUES (p_redemption, p_promotion, p_user, p_partner, p_credits, p_now);
  UPDATE promotion SET redeemed = redeemed + 1, given = given + p_credits WHERE id = p_promotion
$$;

-- server/ledger/sql/reserve-promotion.sql

-- Reserves the bonus of a payment that begins, so that the buyer gets what the checkout shows. Locks the wallets of
-- the mailbox and then the promotion: redemptions of one promotion run one at a time, and no limit is passed. Returns
-- why not, or the bonus.
CREATE OR REPLACE FUNCTION promotion_reserve(p_session text, p_code text, p_now timestamptz)
RETURNS TABLE (refusal text, credits bigint)
LANGUAGE plpgsql AS $$
DECLARE
  payment checkout_session;
  offer promotion;
  bonus bigint;
  reason text;
BEGIN
  SELECT * INTO STRICT payment FROM checkout_session WHERE id = p_session;
  PERFORM 1 FROM wallet WHERE user_id IN (SELECT promotion_accounts(payment.user_id)) ORDER BY user_id FOR UPDATE;
  SELECT * INTO offer FROM promotion WHERE code = p_code FOR UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::bigint; RETURN; END IF;
  bonus := promotion_bonus(offer, payment.credits);
  reason := promotion_refusal(offer, payment.user_id, payment.partner_id, bonus, p_now);
  IF reason IS NULL THEN
    PERFORM promotion_take(offer.id, p_session, payment.user_id, payment.partner_id, bonus, p_now);
  END IF;
  RETURN QUERY SELECT reason, bonus;
END $$;

-- server/ledger/sql/book-promotion.sql

-- Books the credits of a redemption, once. They earn no commission unless `p_earns` is true. Returns nothing if there
-- is no such redemption, as for a purchase without a promotion.
CREATE OR REPLACE FUNCTION promotion_book(
  p_redemption text, p_transaction text, p_earns boolean, p_now timestamptz, p_earnings_hold interval
) RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
DECLARE
  redemption promotion_redemption;
BEGIN
  SELECT * INTO redemption FROM promotion_redemption WHERE id = p_redemption;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM ledger_deposit(redemption.user_id, redemption.partner_id, 'promotion', p_redemption,
    p_transaction, redemption.credits, CASE WHEN p_earns THEN 0 ELSE redemption.credits END, 'promotion_expense', NULL,
    p_earnings_hold);
  UPDATE promotion_redemption SET booked_at = p_now WHERE id = p_redemption AND booked_at IS NULL;
END $$;

-- server/ledger/sql/redeem-gift.sql

-- Redeems a gift link: checks, counts and books in one call. A repetition by the same user returns the first booking.
-- The pocket must exist. Returns why not, or the booking.
CREATE OR REPLACE FUNCTION promotion_redeem_gift(
  p_link bytea, p_user text, p_transaction text, p_earns boolean, p_now timestamptz, p_earnings_hold interval
) RETURNS TABLE (refusal text, credits bigint, transaction_id text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  offer promotion;
  redemption text;
  earlier promotion_redemption;
  reason text;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT p.* INTO offer FROM promotion p JOIN promotion_link l ON l.promotion_id = p.id
    WHERE l.code_hash = p_link FOR UPDATE OF p;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::bigint, NULL::text; RETURN; END IF;
  redemption := offer.id || ':' || left(encode(p_link, 'hex'), 32);
  SELECT * INTO earlier FROM promotion_redemption WHERE id = redemption;
  reason := CASE
    WHEN earlier.user_id <> p_user THEN 'exhausted'
    WHEN earlier.user_id IS NULL
      THEN promotion_refusal(offer, p_user, coalesce(offer.partner_id, ''), offer.credits, p_now) END;
  IF reason IS NOT NULL THEN RETURN QUERY SELECT reason, offer.credits, NULL::text; RETURN; END IF;
  IF earlier.user_id IS NULL THEN
    PERFORM promotion_take(offer.id, redemption, p_user, coalesce(offer.partner_id, ''), offer.credits, p_now);
  END IF;
  RETURN QUERY SELECT NULL::text, offer.credits, b.transaction_id
    FROM promotion_book(redemption, p_transaction, p_earns, p_now, p_earnings_hold) b;
END $$;

-- server/ledger/sql/release-promotion.sql

-- Releases the bonus reserved for a payment that ends unpaid. A trigger, because a payment ends in several places,
-- and a forgotten one would use up a limit.
CREATE OR REPLACE FUNCTION promotion_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH released AS (
    DELETE FROM promotion_redemption WHERE id = NEW.id AND booked_at IS NULL RETURNING promotion_id, credits)
  UPDATE promotion p SET redeemed = p.redeemed - 1, given = p.given - r.credits
    FROM released r WHERE p.id = r.promotion_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER checkout_session_releases_promotion AFTER UPDATE OF status ON checkout_session
  FOR EACH ROW WHEN (NEW.status IN ('failed', 'expired') AND OLD.status <> NEW.status)
  EXECUTE FUNCTION promotion_release();

-- server/ledger/sql/earning.sql

-- The postings of commission, one per row. What is reversed, restored or corrected is dated by the request it concerns, and has
-- its model. That request is read only for a reader that names one of the two columns.
CREATE OR REPLACE VIEW ledger_earning AS
  SELECT p.partner_id, p.amount, t.created_at AS posted_at,
    CASE t.kind WHEN 'usage' THEN 'earned' ELSE 'reversed' END AS kind,
    ((CASE t.kind WHEN 'usage' THEN t.created_at ELSE (
      SELECT r.created_at FROM ledger_transaction r WHERE r.id = t.note) END)
      AT TIME ZONE 'UTC')::date AS day,
    coalesce(CASE t.kind WHEN 'usage' THEN t.model ELSE (
      SELECT r.model FROM ledger_transaction r WHERE r.id = t.note) END, '') AS model
  FROM ledger_transaction t
  CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p
  WHERE t.kind IN ('usage', 'earnings_reversal', 'correction') AND p.account = 'partner_earnings';

-- server/ledger/sql/roll-up-earnings.sql

-- Adds new earnings to the sums: by the hour in which they were posted, and by day of the request and model,
-- from which payouts are computed. Postings younger than `p_lag` may belong to a transaction that is still
-- running: they are added later, and readers include them. A call adds at most about 20,000 transactions, so that it is
-- short, and returns true if there is more to add. The planner has no statistics about the watermark, so the settings
-- make it use the index on time and look up what was reversed.
CREATE OR REPLACE FUNCTION ledger_roll_up(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'earnings' FOR UPDATE;
  IF newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);
  WITH fresh AS MATERIALIZED (
    SELECT partner_id, date_trunc('hour', posted_at) AS hour, day, model, kind, sum(amount) AS earned, count(*) AS entries
    FROM ledger_earning WHERE posted_at >= begun AND posted_at < upto
    GROUP BY 1, 2, 3, 4, 5
  ), by_hour AS (
    INSERT INTO earnings_rollup (partner_id, hour, earned) SELECT partner_id, hour, sum(earned) FROM fresh GROUP BY 1, 2
    ON CONFLICT (partner_id, hour) DO UPDATE SET earned = earnings_rollup.earned + excluded.earned
  )
  INSERT INTO earnings_day AS d (partner_id, day, model, kind, requests, amount)
  SELECT partner_id, day, model, kind, sum(entries), sum(earned) FROM fresh GROUP BY 1, 2, 3, 4
  ON CONFLICT (partner_id, day, model, kind) DO UPDATE SET
    requests = d.requests + excluded.requests, amount = d.amount + excluded.amount;
  UPDATE watermark SET up_to = upto WHERE name = 'earnings';
  RETURN upto < newest;
END $$;

-- server/ledger/sql/matured-until.sql

-- The day (UTC) before which an app's earnings have matured. A payout is final in this, so a longer hold period
-- does not bring the day back.
CREATE OR REPLACE FUNCTION ledger_matured_until(p_partner text, p_default_hold interval, p_as_of timestamptz) RETURNS date
LANGUAGE sql STABLE AS $$
  SELECT greatest(
    ((p_as_of - ledger_earnings_hold(p_partner, p_default_hold)) AT TIME ZONE 'UTC')::date,
    (SELECT max(l.matured_until) FROM payout_line l WHERE l.partner_id = p_partner))
$$;

-- server/ledger/sql/paid-line.sql

-- The lines of the payouts that count: one that failed or was returned does not, and the next one lists its
-- requests again.
CREATE OR REPLACE VIEW ledger_paid_line AS
  SELECT l.* FROM payout_line l JOIN payout o ON o.id = l.payout_id WHERE o.state NOT IN ('returned', 'failed');

-- server/ledger/sql/earnings.sql

-- The earnings of apps, with those that are not rolled up yet: what has matured, what is still within the hold
-- period of `hold_days`, what has matured although the payments behind it can still be disputed, and how much of
-- the matured part is paid out or payable. Less than nothing is payable if commission was reversed after it was
-- paid out.
CREATE OR REPLACE FUNCTION ledger_earnings(p_partners text[], p_default_hold interval, p_as_of timestamptz)
RETURNS TABLE (
  partner_id text, matured bigint, maturing bigint, disputable bigint, paid_out bigint, payable bigint, hold_days integer
) LANGUAGE sql STABLE AS $$
  WITH mark AS (SELECT coalesce((SELECT up_to FROM watermark WHERE name = 'earnings'), '2000-01-01') AS up_to),
  app AS MATERIALIZED (
    SELECT a.id, ledger_matured_until(a.id, p_default_hold, p_as_of) AS matured_until,
           extract(day FROM ledger_earnings_hold(a.id, p_default_hold))::integer AS hold_days
    FROM unnest(p_partners) AS a (id)
  ),
  every_day AS (
    SELECT e.partner_id, e.day, e.amount::numeric FROM earnings_day e WHERE e.partner_id = ANY (p_partners)
    UNION ALL
    SELECT e.partner_id, e.day, e.amount FROM ledger_earning e, mark
    WHERE e.posted_at >= mark.up_to AND e.partner_id = ANY (p_partners)
  ),
  total AS (
    SELECT a.id, a.hold_days,
           coalesce(sum(e.amount) FILTER (WHERE e.day < a.matured_until), 0)::bigint AS matured,
           coalesce(sum(e.amount) FILTER (WHERE e.day >= a.matured_until), 0)::bigint AS maturing,
           greatest(0, coalesce(sum(e.amount) FILTER (WHERE e.day < a.matured_until
             AND e.day >= ((p_as_of - ledger_dispute_period()) AT TIME ZONE 'UTC')::date), 0))::bigint AS disputable
    FROM app a LEFT JOIN every_day e ON e.partner_id = a.id GROUP BY 1, 2
  ),
  paid AS (
    SELECT l.partner_id, sum(l.amount)::bigint AS amount FROM ledger_paid_line l WHERE l.partner_id = ANY (p_partners) GROUP BY 1
  )
  SELECT t.id, t.matured, t.maturing, t.disputable, coalesce(p.amount, 0), t.matured - coalesce(p.amount, 0), t.hold_days
  FROM total t LEFT JOIN paid p ON p.partner_id = t.id
$$;

-- server/ledger/sql/create-payout.sql

-- Plans the payout of what a team's apps have earned and matured at `p_as_of`, less the team's reserve, in whole
-- cents, if that is at least `p_minimum`. An app that owes lowers the payout; what remains unpaid is carried over
-- by the apps that are owed most. Writes the payout, its lines, their items and the postings, once for each team
-- and month.
--
-- The lock on the team admits one call at a time, and holds against an operator's hold. The lock on the watermark
-- admits one for the installation: while it is held, the sums by day are those before `posted_until`, and an app
-- that changes its team is paid once. The items are what the sums by day contain that no payout has listed yet,
-- so postings that arrive late are listed once, whenever they arrive.
CREATE OR REPLACE FUNCTION ledger_create_payout(
  p_id text, p_team text, p_period date, p_as_of timestamptz, p_default_hold interval, p_method text,
  p_minimum bigint, p_approved_by text, p_account text, p_payee jsonb
) RETURNS TABLE (outcome text, payout_id text, amount bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  cent CONSTANT bigint := 1000000;
  team_row team;
  existing text;
  posted timestamptz;
  available bigint;
  paid bigint;
BEGIN
  SELECT * INTO STRICT team_row FROM team WHERE id = p_team FOR NO KEY UPDATE;
  SELECT id INTO existing FROM payout
    WHERE id = p_id OR (team_id = p_team AND period = p_period AND state NOT IN ('returned', 'failed')) LIMIT 1;
  IF FOUND THEN
    RETURN QUERY SELECT 'exists', existing, NULL::bigint;
    RETURN;
  END IF;
  IF team_row.payouts_held_at IS NOT NULL THEN
    RETURN QUERY SELECT 'held', NULL::text, NULL::bigint;
    RETURN;
  END IF;
  SELECT up_to INTO STRICT posted FROM watermark WHERE name = 'earnings' FOR UPDATE;

  WITH app AS MATERIALIZED (
    SELECT p.id AS partner_id, ledger_matured_until(p.id, p_default_hold, p_as_of) AS matured_until
    FROM partner p WHERE p.team_id = p_team
  ),
  earned AS MATERIALIZED (
    SELECT e.* FROM app a JOIN earnings_day e ON e.partner_id = a.partner_id AND e.day < a.matured_until
  ),
  listed AS (
    SELECT i.partner_id, i.day, i.model, i.kind, sum(i.requests) AS requests, sum(i.amount) AS amount
    FROM app a JOIN ledger_paid_line l ON l.partner_id = a.partner_id
    JOIN payout_item i ON i.payout_id = l.payout_id AND i.partner_id = l.partner_id
    GROUP BY 1, 2, 3, 4
  ),
  item AS MATERIALIZED (
    SELECT e.partner_id, e.day, e.model, e.kind, e.requests - coalesce(l.requests, 0) AS requests,
           e.amount - coalesce(l.amount, 0) AS amount
    FROM earned e LEFT JOIN listed l USING (partner_id, day, model, kind)
    WHERE (e.requests, e.amount) <> (coalesce(l.requests, 0), coalesce(l.amount, 0))
  ),
  owed AS MATERIALIZED (
    SELECT a.partner_id, a.matured_until,
           coalesce((SELECT sum(e.amount) FROM earned e WHERE e.partner_id = a.partner_id), 0)
             - coalesce((SELECT sum(l.amount) FROM ledger_paid_line l WHERE l.partner_id = a.partner_id), 0) AS payable,
           (SELECT sum(i.amount) FROM item i WHERE i.partner_id = a.partner_id) AS listed
    FROM app a
  ),
  total AS (
    SELECT payable - team_row.payout_reserve AS available, payable - greatest(0, div(payable - team_row.payout_reserve, cent) * cent) AS kept
    FROM (SELECT coalesce(sum(payable), 0) AS payable FROM owed) o
  ),
  line AS MATERIALIZED (
    SELECT o.*, least(greatest(0, o.payable), greatest(0, t.kept - coalesce(sum(greatest(0, o.payable)) OVER (
             ORDER BY o.payable DESC, o.partner_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS kept
    FROM owed o, total t
  ),
  made AS (
    INSERT INTO payout (id, team_id, period, amount, method, posted_until, approved_by, processor_account_id, payee)
    SELECT p_id, p_team, p_period, sum(l.payable - l.kept), p_method, posted, p_approved_by, p_account, p_payee
    FROM line l HAVING sum(l.payable - l.kept) >= greatest(p_minimum, cent)
    RETURNING amount
  ),
  insert_line AS (
    INSERT INTO payout_line (payout_id, partner_id, amount, carried_before, carried_after, matured_until)
    SELECT p_id, l.partner_id, l.payable - l.kept, l.payable - coalesce(l.listed, 0), l.kept, l.matured_until
    FROM made, line l WHERE l.payable <> 0 OR l.listed IS NOT NULL
  ),
  insert_item AS (
    INSERT INTO payout_item (payout_id, partner_id, day, model, kind, requests, amount)
    SELECT p_id, i.partner_id, i.day, i.model, i.kind, i.requests, i.amount FROM made, item i
  ),
  insert_transaction AS (
    INSERT INTO payout_transaction (id, payout_id, kind, postings)
    SELECT 'txn_' || substr(md5(p_id || ':payout'), 1, 22), p_id, 'payout',
      (SELECT jsonb_agg(p.posting) FROM line l CROSS JOIN LATERAL (VALUES
         (jsonb_build_object('account', 'partner_earnings', 'partner_id', l.partner_id, 'amount', l.kept - l.payable)),
         (jsonb_build_object('account', 'partner_paid_out', 'partner_id', l.partner_id, 'amount', l.payable - l.kept))
       ) AS p (posting) WHERE l.payable <> l.kept)
    FROM made
  )
  SELECT t.available::bigint, m.amount INTO available, paid FROM total t LEFT JOIN made m ON true;
  IF paid IS NULL THEN RETURN QUERY SELECT 'below_minimum', NULL::text, available;
  ELSE RETURN QUERY SELECT 'created', p_id, paid;
  END IF;
END $$;

-- server/ledger/sql/return-payout.sql

-- Ends a payout that is in one of the states `p_from` as returned or failed, and books its amount back. Returns
-- false if it is in none of them. The locks are those of create-payout.sql: a payout in progress sees all of this
-- or nothing.
CREATE OR REPLACE FUNCTION ledger_return_payout(p_id text, p_from text[], p_to text, p_failure text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM team t JOIN payout o ON o.team_id = t.id WHERE o.id = p_id FOR NO KEY UPDATE OF t;
  PERFORM 1 FROM watermark WHERE name = 'earnings' FOR UPDATE;
  UPDATE payout SET state = p_to, failure = p_failure, ended_at = clock_timestamp(), lease_until = NULL, next_look_at = NULL
    WHERE id = p_id AND state = ANY (p_from) AND state NOT IN ('returned', 'failed');
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO payout_transaction (id, payout_id, kind, postings)
    SELECT 'txn_' || substr(md5(p_id || ':payout_return'), 1, 22), p_id, 'payout_return',
      (SELECT jsonb_agg(p.posting || jsonb_build_object('amount', -(p.posting ->> 'amount')::bigint))
       FROM jsonb_array_elements(t.postings) AS p (posting))
    FROM payout_transaction t WHERE t.payout_id = p_id AND t.kind = 'payout';
  RETURN true;
END $$;

-- server/ledger/sql/roll-up-usage.sql

-- Adds new receipts to the daily sums (UTC). Receipts younger than `p_lag` may belong to a transaction that
-- is still running: they are added later, and readers include them. A call adds at most about 20,000 receipts, so that
-- it is short, and returns true if there is more to add; it returns immediately if another instance is running this.
-- The planner has no statistics about the watermark, so the settings make it use the index on time.
CREATE OR REPLACE FUNCTION ledger_roll_up_usage(p_lag interval) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  begun timestamptz;
  newest timestamptz := clock_timestamp() - p_lag;
  upto timestamptz;
BEGIN
  SELECT up_to INTO begun FROM watermark WHERE name = 'usage' FOR UPDATE SKIP LOCKED;
  IF begun IS NULL OR newest <= begun THEN RETURN false; END IF;
  upto := ledger_slice_end(begun, newest, 20000);
  WITH fresh AS (
    SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, partner_id, model, count(*) AS requests,
           sum(input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens + output_tokens) AS tokens,
           sum(charge) AS charge
    FROM usage WHERE created_at >= begun AND created_at < upto
    GROUP BY 1, 2, 3, 4
  )
  INSERT INTO usage_day AS d (user_id, day, partner_id, model, requests, tokens, charge) SELECT * FROM fresh
  ON CONFLICT (user_id, day, partner_id, model) DO UPDATE SET
    requests = d.requests + excluded.requests, tokens = d.tokens + excluded.tokens, charge = d.charge + excluded.charge;
  UPDATE watermark SET up_to = upto WHERE name = 'usage';
  RETURN upto < newest;
END $$;

-- server/ledger/sql/usage-days.sql

-- A user's requests by day, partner and model in [p_from, p_to), including those not rolled up yet. Null
-- selects all partners or all models.
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
    JOIN usage u ON u.user_id = p_user AND u.partner_id = a.partner_id
      AND u.created_at >= mark.begun AND u.created_at < mark.ended
      AND ledger_slot(u.created_at) >= ledger_slot(mark.begun) AND ledger_slot(u.created_at) <= ledger_slot(mark.ended)
    WHERE a.user_id = p_user AND (p_partner IS NULL OR a.partner_id = p_partner) AND (p_model IS NULL OR u.model = p_model)
  )
  SELECT day, partner_id, model, sum(requests)::bigint, sum(tokens)::bigint, sum(charge)::bigint FROM every_part GROUP BY 1, 2, 3
$$;

-- server/ledger/sql/archivable.sql

-- The receipts of a month that may be archived. Others stay, because something here still refers to them: a correction, a
-- reversal of their commission, or a payout that was computed before they were booked.
CREATE OR REPLACE FUNCTION ledger_archivable(p_since timestamptz, p_until timestamptz) RETURNS SETOF ledger_transaction
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT t.* FROM ledger_transaction t
  WHERE t.created_at >= p_since AND t.created_at < p_until AND t.kind = 'usage' AND t.model IS NOT NULL
    AND NOT EXISTS (
      SELECT 1 FROM ledger_transaction r WHERE r.user_id = t.user_id AND r.kind = 'earnings_reversal' AND r.cause_id = t.id || ':1')
    AND NOT EXISTS (SELECT 1 FROM correction c WHERE c.transaction_id = t.id)
    AND NOT EXISTS (
      SELECT 1 FROM payout_line l JOIN payout o ON o.id = l.payout_id
      WHERE l.partner_id = t.partner_id AND o.posted_until <= t.created_at
        AND l.matured_until > (t.created_at AT TIME ZONE 'UTC')::date)
$$;

-- server/ledger/sql/archived-sums.sql

-- What receipts of one month come to, by user and app or pocket: rows of archived_month. `p_rows` are rows of
-- ledger_transaction, as an archive contains them.
CREATE OR REPLACE FUNCTION ledger_archived_sums(p_month date, p_rows json) RETURNS SETOF archived_month
LANGUAGE sql STABLE AS $$
  WITH receipt AS MATERIALIZED (SELECT * FROM json_populate_recordset(NULL::ledger_transaction, p_rows)),
  part AS (
    SELECT r.user_id, r.partner_id, 1 AS requests,
           r.input_tokens::bigint + r.cache_read_tokens + r.cache_write_tokens + r.cache_write_1h_tokens + r.output_tokens AS tokens,
           -r.credits AS charge, 0::bigint AS earned,
           CASE WHEN r.allowance_spent IS NULL OR EXISTS (
             SELECT 1 FROM ledger_transaction s WHERE s.user_id = r.user_id AND s.partner_id = r.partner_id AND s.kind = 'permission'
               AND s.created_at > r.created_at AND s.created_at < (p_month + interval '1 month') AT TIME ZONE 'UTC')
             THEN 0 ELSE r.allowance_spent END AS allowance_spent,
           0::bigint AS moved, 0::bigint AS granted
    FROM receipt r
    UNION ALL
    SELECT r.user_id, p.partner_id, 0, 0, 0, CASE p.account WHEN 'pocket' THEN 0 ELSE p.amount END, 0,
           CASE p.account WHEN 'pocket' THEN p.amount ELSE 0 END, CASE p.account WHEN 'pocket' THEN coalesce(p.granted, 0) ELSE 0 END
    FROM receipt r
    CROSS JOIN LATERAL ledger_entries(r.kind, r.partner_id, r.credits, r.provider_cost, r.partner_share, r.postings) p
    WHERE p.account IN ('pocket', 'partner_earnings')
  )
  SELECT user_id, partner_id, p_month, sum(requests)::bigint, sum(tokens)::bigint, sum(charge)::bigint, sum(earned)::bigint,
         sum(allowance_spent)::bigint, sum(moved)::bigint, sum(granted)::bigint
  FROM part GROUP BY 1, 2
$$;

-- server/ledger/sql/remove-archived.sql

-- Removes receipts of a month that an archive contains, and adds what they come to to archived_month, in one statement.
-- A receipt that differs from the archive in any column fails the call; one that was removed before is skipped. Returns
-- how many were removed.
CREATE OR REPLACE FUNCTION ledger_remove_archived(p_month date, p_rows json) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  present json;
  here integer;
  removed integer;
BEGIN
  -- Removals follow each other.
  PERFORM FROM watermark WHERE name = 'archive' AND up_to >= (p_month + interval '1 month') AT TIME ZONE 'UTC' FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION '% is not being archived', p_month; END IF;
  SELECT count(*), json_agg(row_to_json(a)) INTO here, present
  FROM json_populate_recordset(NULL::ledger_transaction, p_rows) a
  WHERE EXISTS (SELECT 1 FROM ledger_transaction t WHERE t.id = a.id);
  IF here = 0 THEN RETURN 0; END IF;

  -- Only a superuser can create a function with a SET clause for a setting of ours.
  PERFORM set_config('svc.archiving', 'on', true);
  INSERT INTO archived_month AS m SELECT * FROM ledger_archived_sums(p_month, present)
  ON CONFLICT (user_id, partner_id, month) DO UPDATE SET
    requests = m.requests + excluded.requests, tokens = m.tokens + excluded.tokens, charge = m.charge + excluded.charge,
    earned = m.earned + excluded.earned, allowance_spent = m.allowance_spent + excluded.allowance_spent,
    moved = m.moved + excluded.moved, granted = m.granted + excluded.granted;

  DELETE FROM ledger_transaction t USING json_populate_recordset(NULL::ledger_transaction, present) a
  WHERE t.id = a.id AND t.kind = 'usage' AND t IS NOT DISTINCT FROM a
    AND t.created_at >= p_month::timestamp AT TIME ZONE 'UTC'
    AND t.created_at < (p_month + interval '1 month') AT TIME ZONE 'UTC';
  GET DIAGNOSTICS removed = ROW_COUNT;
  PERFORM set_config('svc.archiving', 'off', true);
  IF removed <> here THEN RAISE EXCEPTION '% of % receipts differ from the archive', here - removed, here; END IF;
  RETURN removed;
END $$;

-- server/activity/sql/roll-up.sql

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
  SELECT (created_at AT TIME ZONE 'UTC')::date, partner_id, CASE kind WHEN 'refund' THEN note ELSE kind END, count(*), sum(credits)
  FROM ledger_transaction
  WHERE created_at >= begun AND created_at < upto AND kind IN ('purchase', 'refund', 'adjustment', 'promotion', 'correction')
  GROUP BY 1, 2, 3
  ON CONFLICT (day, partner_id, kind) DO UPDATE SET
    entries = m.entries + excluded.entries, credits = m.credits + excluded.credits;

  UPDATE watermark SET up_to = upto WHERE name = 'activity';
  RETURN upto < newest;
END $$;

-- server/activity/sql/pending.sql

-- The receipts that roll-up.sql has not added to a day yet.
CREATE OR REPLACE FUNCTION activity_pending() RETURNS SETOF usage LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT * FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'activity')
$$;

-- server/activity/sql/by-partner.sql

-- Requests by partner, day, model and provider, always exact: the daily sums plus the receipts that are not
-- in them yet. A key may occur more than once, so readers must sum up.
CREATE OR REPLACE VIEW activity_by_partner AS
  SELECT * FROM activity_partner_day
  UNION ALL
  SELECT partner_id, (created_at AT TIME ZONE 'UTC')::date, model, provider, 1, (outcome <> 'completed')::integer,
         input_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens, cache_read_tokens, output_tokens,
         charge, provider_cost, partner_share
  FROM activity_pending();

-- server/activity/sql/roll-up-app-users.sql

-- Adds new receipts since the watermark to the sums by user and partner, at most about 20,000 per call, as roll-up.sql
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

-- server/activity/sql/pending-app-users.sql

-- A partner's sums by user from the receipts that roll-up-app-users.sql has not added yet.
CREATE OR REPLACE FUNCTION activity_pending_app_users(p_partner text) RETURNS SETOF activity_app_user
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT partner_id, user_id, count(*), sum(charge)::bigint, sum(partner_share)::bigint, max(created_at)
  FROM usage WHERE created_at >= (SELECT up_to FROM watermark WHERE name = 'app_users') AND partner_id = p_partner
  GROUP BY 1, 2
$$;
