-- What was booked, as it is read, and that it stays as it was booked: transactions, receipts and postings, the
-- triggers that keep them, the daily sums of usage, and the removal of receipts that an archive contains.

-- The receipts of charged requests. The id of a request differs from that of its transaction only by the prefix: a
-- reader who has one selects by `transaction_id`, which has an index, not by `request_id`.
CREATE OR REPLACE VIEW usage AS
  SELECT user_id, id AS transaction_id, 'req_' || substr(id, 5) AS request_id, partner_id, key_id,
    model, provider, price_version, input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,
    output_tokens, reasoning_tokens, web_searches, held, provider_cost, -credits AS charge, partner_share, estimated, cost_reported,
    rate_bp, outcome, created_at, attempts, data_rules, input_units, output_units
  FROM ledger_transaction WHERE kind = 'usage' AND model IS NOT NULL;

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

-- The postings of all transactions, one per row, as an accountant reads them.
CREATE OR REPLACE VIEW ledger_entry AS
  SELECT t.user_id, t.id AS transaction_id, p.account, p.partner_id, p.amount, p.granted, t.created_at
  FROM ledger_transaction t CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p;

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

-- Refuses a change or a deletion.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
END $$;

-- Lets ledger_remove_archived alone remove receipts and change the sums of archived months.
CREATE OR REPLACE FUNCTION ledger_refuse_unless_archiving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('svc.archiving', true) IS DISTINCT FROM 'on' THEN
    RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

-- Lets rows go only with their account.
CREATE OR REPLACE FUNCTION ledger_refuse_unless_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "user" WHERE id = OLD.user_id AND deleted_at IS NOT NULL) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
END $$;

-- Transactions, prices, invoices, statements of payouts, corrections, audit entries and consents are never changed or
-- deleted, by anyone. Of a purchase only what the processor has taken back changes, of a payout only its state and how it was paid. Receipts are removed only by ledger_remove_archived, and daily statements are
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

CREATE OR REPLACE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER audit_entry_not_truncated BEFORE TRUNCATE ON audit_entry
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

-- The totals of the receipts of one month, by user and app or pocket: rows of archived_month. `p_rows` are rows of
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

-- Removes receipts of a month that an archive contains, and adds their totals to archived_month, in one statement.
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
