-- The limits of a partner for one of its users: those for this user, else those of the app, else the default for all
-- apps; and the ceiling, whatever the others are.
CREATE OR REPLACE FUNCTION ledger_partner_limits(p_partner text, p_app_user text) RETURNS SETOF partner_limit
LANGUAGE sql STABLE AS $$
  (SELECT * FROM partner_limit l
   WHERE l.partner_id IN (p_partner, '') AND l.app_user_id IN (p_app_user, '') AND NOT l.ceiling
   ORDER BY l.app_user_id DESC, l.partner_id DESC LIMIT 1)
  UNION ALL
  SELECT * FROM partner_limit l WHERE l.partner_id = p_partner AND l.app_user_id = '' AND l.ceiling
$$;

-- What a user spent in an app on the running day and in its month (UTC), and when these end.
CREATE OR REPLACE FUNCTION ledger_spent_in_app(app user_app, today date)
RETURNS TABLE (day bigint, month bigint, day_ends timestamptz, month_ends timestamptz)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN app.spent_on >= today THEN app.day_spent ELSE 0 END,
    CASE WHEN app.spent_on >= date_trunc('month', today::timestamp) THEN app.month_spent ELSE 0 END,
    timezone('UTC', today + interval '1 day'),
    timezone('UTC', date_trunc('month', today::timestamp) + interval '1 month')
$$;

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

CREATE OR REPLACE FUNCTION partner_limit_marks_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.limits_users := NEW.limits_users OR EXISTS (SELECT FROM partner_limit l WHERE l.partner_id = '');
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER partner_limit_marks_new BEFORE INSERT ON partner
  FOR EACH ROW EXECUTE FUNCTION partner_limit_marks_new();
