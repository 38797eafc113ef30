-- Lets rows go only with their account.
CREATE OR REPLACE FUNCTION ledger_refuse_unless_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "user" WHERE id = OLD.user_id AND deleted_at IS NOT NULL) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only: correct a mistake by a new transaction', TG_TABLE_NAME;
END $$;
