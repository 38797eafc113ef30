-- What a user owns: the wallet, the pockets of apps, and the allowances that let an app spend from the others.

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

-- Removes the allowance and remembers the unspent part for ledger_resume_allowance. Returns no row if nothing
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
