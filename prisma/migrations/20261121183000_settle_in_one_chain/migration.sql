-- Settlement as before, planned better: the rows to write are found by primary key however many
-- wallets there are, and other apps' pockets are looked at only when the app's own does not suffice.

-- Takes what is wanted from the user's other pockets: first '' (outside any app), then the other
-- apps', oldest first. Returns the postings, in which what is taken is negative.
CREATE FUNCTION ledger_draw(p_user text, p_partner text, p_wanted bigint) RETURNS jsonb
LANGUAGE sql AS $$
  WITH others AS (
    SELECT p.partner_id, greatest(0, p.own - p.own_held) AS free,
           coalesce(sum(greatest(0, p.own - p.own_held)) OVER (
             ORDER BY p.partner_id <> '', p.created_at, p.partner_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS free_before
    FROM user_app p WHERE p.user_id = p_user AND p.partner_id <> p_partner
  ),
  drawn AS (
    UPDATE user_app u SET own = u.own - least(o.free, p_wanted - o.free_before)::bigint
    FROM others o WHERE u.user_id = p_user AND u.partner_id = o.partner_id AND o.free > 0 AND p_wanted > o.free_before
    RETURNING u.partner_id, least(o.free, p_wanted - o.free_before)::bigint AS amount
  )
  SELECT coalesce(jsonb_agg(jsonb_build_object('account', 'pocket', 'partner_id', d.partner_id, 'amount', -d.amount)), '[]') FROM drawn d
$$;

-- A list with one posting, or with none when nothing moves.
CREATE FUNCTION ledger_posting(p_account text, p_partner text, p_amount bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_amount = 0 THEN '[]'::jsonb
    ELSE jsonb_build_array(jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount)) END
$$;

CREATE OR REPLACE FUNCTION ledger_settle(p_requests json)
RETURNS TABLE (n integer, captured bigint, balance bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  settled integer;
BEGIN
  RETURN QUERY
  WITH taken AS (
    SELECT r.*, h.partner_id, h.key_id, h.amount, h.own_part, h.epoch = u.epoch AS same_epoch,
           least(coalesce(r.charge, 0), h.amount) AS take,
           -- The app's own pocket first: this hold's part of it and whatever else is free there.
           least(least(coalesce(r.charge, 0), h.amount), greatest(h.own_part, u.own - u.own_held + h.own_part)) AS own_wanted
    FROM json_to_recordset(p_requests) AS r (
      n integer, user_id text, request_id text, cost bigint, charge bigint,
      model text, provider text, price_version text, input_tokens integer, cache_read_tokens integer,
      cache_write_tokens integer, cache_write_1h_tokens integer, output_tokens integer, reasoning_tokens integer, estimated boolean, outcome text)
    -- The ON clauses repeat what was looked up: by them the planner expects few rows, and finds the
    -- rows to write by primary key too, instead of reading all wallets and hashing them.
    JOIN LATERAL (SELECT * FROM hold h WHERE h.user_id = r.user_id AND h.request_id = r.request_id OFFSET 0) h ON h.request_id = r.request_id
    JOIN LATERAL (SELECT * FROM user_app u WHERE u.user_id = h.user_id AND u.partner_id = h.partner_id OFFSET 0) u ON u.partner_id = h.partner_id
  ),
  -- What no pocket covers any more, after a refund took reserved money, stays with the app's own
  -- pocket as a debt.
  split AS (
    SELECT d.*, CASE WHEN d.drawn IS NULL THEN d.take ELSE d.take + ledger_sum(d.drawn) END AS own_take
    FROM (
      SELECT t.*, CASE WHEN t.take > t.own_wanted THEN ledger_draw(t.user_id, t.partner_id, t.take - t.own_wanted) END AS drawn
      FROM taken t
    ) AS d
  ),
  resolve_hold AS (
    DELETE FROM hold h USING taken t WHERE h.user_id = t.user_id AND h.request_id = t.request_id
  ),
  take_own AS (
    UPDATE user_app u SET
      own = u.own - s.own_take,
      own_held = u.own_held - s.own_part,
      allowance_left = u.allowance_left
        + CASE WHEN s.same_epoch THEN (s.amount - s.own_part) - greatest(0, s.take - s.own_wanted) ELSE 0 END
    FROM split s WHERE u.user_id = s.user_id AND u.partner_id = s.partner_id
    RETURNING s.*, u.own, u.own_held, u.allowance_left
  ),
  booked AS (
    UPDATE wallet a SET money = a.money - o.take, held = a.held - o.amount, running = a.running - 1
    FROM take_own o WHERE a.user_id = o.user_id
    RETURNING o.*, ledger_spendable(a.money, a.held, o.own, o.own_held, o.allowance_left) AS balance,
           -- The partner earns of what the user paid beyond the cost; what the user did not pay is ours.
           least(o.charge - o.cost, greatest(0, o.take - o.cost)) AS partner_share
  ),
  insert_transaction AS (
    INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, credits, balance_after, postings)
    SELECT b.user_id, 'txn_' || substr(b.request_id, 5), b.partner_id, 'usage', b.request_id, -b.take, b.balance,
      ledger_posting('pocket', b.partner_id, -b.own_take) || ledger_posting('provider_cost', '', b.cost)
      || ledger_posting('partner_earnings', b.partner_id, b.partner_share)
      || ledger_posting('overrun_loss', '', b.take - b.cost - b.partner_share) || coalesce(b.drawn, '[]')
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
