-- The formulas of money: they read no table but the holds of one user, and change nothing.

-- Computes the charge for a request in microcredits, rounded up once, from exact picocredits and a commission
-- in basis points. chargeFor() in server/base/credits.ts computes the same; a test compares the two.
CREATE OR REPLACE FUNCTION ledger_charge(exact numeric, rate_bp integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT div(exact * (10000 + rate_bp) + 9999999999, 10000000000)::bigint
$$;

-- The part of an amount that corresponds to `p_part` of `p_whole`, rounded down.
CREATE OR REPLACE FUNCTION ledger_part(p_amount bigint, p_part bigint, p_whole bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_part = 0 THEN 0 ELSE div(p_amount::numeric * p_part, p_whole)::bigint END
$$;

-- The balance: what one partner can spend for one user now. This is the own pocket plus the allowance, but
-- never more than is free in the whole wallet.
CREATE OR REPLACE FUNCTION ledger_spendable(money bigint, held bigint, own bigint, own_held bigint, allowance_left bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT greatest(0, least(money - held, greatest(0, own - own_held) + allowance_left))
$$;

-- The balance if none of the user's requests were running. Credits held against the allowance are returned to
-- it, unless the allowance was saved again after the hold was made.
CREATE OR REPLACE FUNCTION ledger_idle(app user_app, money bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT ledger_spendable(money, 0, app.own, 0, app.allowance_left + coalesce((
    SELECT sum(h.amount - h.own_part) FROM hold h
    WHERE h.user_id = app.user_id AND h.partner_id = app.partner_id AND h.epoch = app.epoch), 0)::bigint)
$$;

-- 'ok', or the reason why `need` cannot be spent: `paused` if the user or the app is paused for review. 'busy' if it could be spent when none of the user's
-- requests were running: `idle` is the balance in that case (see ledger_idle).
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

-- Whether a hold may outlive its request: only while `free`, what else is free in the pocket and in the wallet, is much
-- larger, so that a kept hold is hardly ever in the way, and while few of the user's requests run.
CREATE OR REPLACE FUNCTION ledger_keeps(amount bigint, free bigint, running integer, max_running integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 8 * amount <= free AND 4 * running <= max_running
$$;

-- Returns a list with one posting, or an empty list if the amount is zero. STABLE because PostgreSQL would
-- not inline it as IMMUTABLE: it calls functions that are only STABLE.
CREATE OR REPLACE FUNCTION ledger_posting(p_account text, p_partner text, p_amount bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_amount = 0 THEN '[]'::jsonb
    ELSE jsonb_build_array(jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount)) END
$$;

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

-- The two postings of most transactions: a partner's account against one that belongs to no partner.
CREATE OR REPLACE FUNCTION ledger_postings(p_account text, p_partner text, p_amount bigint, p_against text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT jsonb_build_array(
    jsonb_build_object('account', p_account, 'partner_id', p_partner, 'amount', p_amount),
    jsonb_build_object('account', p_against, 'partner_id', '', 'amount', -p_amount))
$$;
