-- A new app must look for limits if there is a default for all apps.
CREATE OR REPLACE FUNCTION partner_limit_marks_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.limits_users := NEW.limits_users OR EXISTS (SELECT FROM partner_limit l WHERE l.partner_id = '');
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER partner_limit_marks_new BEFORE INSERT ON partner
  FOR EACH ROW EXECUTE FUNCTION partner_limit_marks_new();
