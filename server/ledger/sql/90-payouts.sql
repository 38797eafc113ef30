-- Payouts of teams with their statements, and their return.

-- Plans the payout of what a team's apps have earned and matured at `p_as_of`, less the team's reserve, in whole
-- cents, if that is at least `p_minimum`. Negative amounts of apps are deducted; the remainder is carried over
-- by the apps that are owed most. Writes the payout, its lines, their items and the postings, once for each team
-- and month.
--
-- The lock on the team admits one call at a time, and excludes an operator's pause. The lock on the watermark
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

-- Ends a payout that is in one of the states `p_from` as returned or failed, and books its amount back. Returns
-- false if it is in none of them. The locks are those of ledger_create_payout: a payout in progress sees all of this
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
