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
