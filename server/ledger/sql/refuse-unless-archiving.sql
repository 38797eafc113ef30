-- Lets ledger_remove_archived alone remove receipts and change the sums of archived months.
CREATE OR REPLACE FUNCTION ledger_refuse_unless_archiving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('svc.archiving', true) IS DISTINCT FROM 'on' THEN
    RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
