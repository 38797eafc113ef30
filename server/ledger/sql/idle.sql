-- The balance if none of the user's requests were running. Credits held against the allowance are returned to
-- it, unless the allowance was saved again after the hold was made.
CREATE OR REPLACE FUNCTION ledger_idle(app user_app, money bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT ledger_spendable(money, 0, app.own, 0, app.allowance_left + coalesce((
    SELECT sum(h.amount - h.own_part) FROM hold h
    WHERE h.user_id = app.user_id AND h.partner_id = app.partner_id AND h.epoch = app.epoch), 0)::bigint)
$$;
