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
