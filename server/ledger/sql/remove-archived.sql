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
