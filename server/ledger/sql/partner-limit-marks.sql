-- `partner.limits_users`, which admission reads anyway, says whether it must look for limits. Each statement that follows
-- a lock sees what was committed before it was granted, so that neither a limit nor an app is missed.
CREATE OR REPLACE FUNCTION partner_limit_marks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_partner CONSTANT text := coalesce(NEW.partner_id, OLD.partner_id);
BEGIN
  IF of_partner = '' THEN
    -- Also waits for apps that are being created, and for changes of others.
    LOCK TABLE partner IN EXCLUSIVE MODE;
  ELSE
    PERFORM 1 FROM partner WHERE id = of_partner FOR NO KEY UPDATE;
  END IF;
  UPDATE partner p SET limits_users = NOT p.limits_users
    WHERE of_partner IN ('', p.id)
      AND p.limits_users <> EXISTS (SELECT FROM partner_limit l WHERE l.partner_id IN ('', p.id));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER partner_limit_marks AFTER INSERT OR DELETE ON partner_limit
  FOR EACH ROW EXECUTE FUNCTION partner_limit_marks();
