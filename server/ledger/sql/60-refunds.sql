-- Refunds and disputes of purchases, and corrections of requests.

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

-- What users may have refunded themselves: of each purchase since `p_since` that is not disputed, the oldest first, as much
-- money as the credits left in its pocket are worth, held ones and granted ones not counted. The bonus credits of the purchase
-- are taken back with it, so they have to be left too.
CREATE OR REPLACE FUNCTION ledger_refundable(p_user text, p_since timestamptz)
RETURNS TABLE (purchase_id text, session_id text, refund_minor integer) LANGUAGE sql STABLE AS $$
  WITH bought AS (
    SELECT p.*, b.bonus::numeric, ledger_part(p.credits, p.refunded_minor, p.amount_minor)::numeric AS taken,
           (u.own - u.own_held - greatest(0, u.own_granted))::numeric AS unspent,
           least(u.own - u.own_held, w.money - w.held)::numeric AS available
    FROM purchase p
    JOIN wallet w ON w.user_id = p.user_id
    JOIN user_app u ON u.user_id = p.user_id AND u.partner_id = p.partner_id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(t.credits), 0) AS bonus FROM ledger_transaction t
      WHERE t.user_id = p.user_id AND t.kind = 'promotion' AND t.cause_id = p.session_id) b
    WHERE p.user_id = p_user AND p.created_at > p_since AND p.disputed_minor = 0
  ),
  -- The most credits that can be taken of the purchase in all, so that with the bonus no more than is available goes.
  allowed AS (
    SELECT *, least(taken + unspent,
      div((available + taken + div(bonus * taken, credits) + 1) * credits - 1, credits + bonus)) AS most FROM bought
  ),
  worth AS (
    SELECT *, least(amount_minor, div((most + 1) * amount_minor - 1, credits)) - refunded_minor AS minor FROM allowed
  )
  SELECT id, session_id, minor::integer FROM worth WHERE minor > 0 ORDER BY created_at, id
$$;

-- Decides a refund that a user asks for: of the first purchase that `ledger_refundable` names, if it is the one that the user
-- saw, once for each `p_refund`, and fewer than `p_most` times since `p_month`. Its credits are taken back here, so that they are not spent before the processor
-- is asked. Returns nothing if there is nothing to refund, or an operator has to decide.
CREATE OR REPLACE FUNCTION ledger_ask_refund(
  p_user text, p_refund text, p_purchase text, p_since timestamptz, p_month timestamptz, p_most integer, p_at timestamptz,
  p_refund_transaction text, p_earnings_hold interval
) RETURNS SETOF user_refund
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  item record;
  reversed purchase;
BEGIN
  -- Before the wallet, as the reversals that the processor reports lock them.
  PERFORM FROM purchase WHERE user_id = p_user AND created_at > p_since ORDER BY id FOR UPDATE;
  PERFORM FROM wallet WHERE user_id = p_user FOR UPDATE;
  RETURN QUERY SELECT * FROM user_refund WHERE user_id = p_user AND id = p_refund;
  IF FOUND OR p_most <= (
    SELECT count(*) FROM user_refund WHERE user_id = p_user AND created_at > p_month AND NOT is_refused
  ) THEN RETURN; END IF;
  SELECT * INTO item FROM ledger_refundable(p_user, p_since) LIMIT 1;
  IF item.purchase_id IS DISTINCT FROM p_purchase THEN RETURN; END IF;
  UPDATE purchase SET refunded_minor = refunded_minor + item.refund_minor, reversals_read = reversals_read + 1
    WHERE id = item.purchase_id RETURNING * INTO reversed;
  PERFORM ledger_claw_back(p_user, reversed.session_id,
    ledger_part(reversed.credits, reversed.refunded_minor, reversed.amount_minor), 0,
    p_refund_transaction, '', p_earnings_hold);
  RETURN QUERY INSERT INTO user_refund (user_id, id, purchase_id, amount_minor, target_minor, created_at)
    VALUES (p_user, p_refund, reversed.id, item.refund_minor, reversed.refunded_minor, p_at) RETURNING *;
END $$;

-- Ends the preparation of a batch: computes the refund of each user, less what was proposed or paid for the same request
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

-- Books the corrections of one user in an approved batch, at most `p_limit` of them, each once: credits return to the
-- pockets that paid for the request, and the postings of the request are taken back as far as they were too high. Returns
-- how many were booked. Used allowances are not restored. Each correction is a separate transaction; its
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
