-- Releases the bonus reserved for a payment that ends unpaid. A trigger, because a payment ends in several places,
-- and a forgotten one would use up a limit.
CREATE OR REPLACE FUNCTION promotion_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH released AS (
    DELETE FROM promotion_redemption WHERE id = NEW.id AND booked_at IS NULL RETURNING promotion_id, credits)
  UPDATE promotion p SET redeemed = p.redeemed - 1, given = p.given - r.credits
    FROM released r WHERE p.id = r.promotion_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER checkout_session_releases_promotion AFTER UPDATE OF status ON checkout_session
  FOR EACH ROW WHEN (NEW.status IN ('failed', 'expired') AND OLD.status <> NEW.status)
  EXECUTE FUNCTION promotion_release();
