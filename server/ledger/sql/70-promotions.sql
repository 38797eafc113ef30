-- Bonus credits: what a promotion gives, to whom, and how often.

-- The bonus credits that a promotion gives for a number of credits bought, in whole credits; 0 if it gives none. The
-- checkout page computes it too (`bonusFor`); a test compares the two on random values.
CREATE OR REPLACE FUNCTION promotion_bonus(p_promotion promotion, p_bought bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN p_bought < p_promotion.min_purchase THEN 0
    WHEN p_promotion.percent IS NULL THEN p_promotion.credits
    ELSE least(p_promotion.max_credits, div(p_bought::numeric * p_promotion.percent, 100000000)::bigint * 1000000) END
$$;

-- The accounts that are one user for promotions: those of the same mailbox, deleted ones included.
CREATE OR REPLACE FUNCTION promotion_accounts(p_user text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT p_user
  UNION
  SELECT other.id FROM "user" u JOIN "user" other ON other.mailbox_hash = u.mailbox_hash WHERE u.id = p_user
$$;

-- The reason why a user cannot redeem a promotion now in a pocket; null if they can. Exact only for a caller that
-- locked the wallets of the mailbox and then the promotion.
CREATE OR REPLACE FUNCTION promotion_refusal(
  p_promotion promotion, p_user text, p_partner text, p_bonus bigint, p_now timestamptz
) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p_promotion.disabled_at IS NOT NULL OR p_promotion.valid_until <= p_now THEN 'ended'
    WHEN p_promotion.valid_from > p_now THEN 'not_started'
    WHEN p_promotion.partner_id <> p_partner THEN 'other_app'
    WHEN (SELECT count(*) FROM promotion_redemption r
          WHERE r.promotion_id = p_promotion.id AND r.user_id IN (SELECT promotion_accounts(p_user)))
         >= p_promotion.max_per_user THEN 'used'
    -- Includes payments in progress with another such code, or two would be promised their bonus.
    WHEN p_promotion.is_first_purchase AND (
      EXISTS (SELECT 1 FROM purchase b WHERE b.user_id IN (SELECT promotion_accounts(p_user)))
      OR EXISTS (SELECT 1 FROM promotion_redemption r JOIN promotion o ON o.id = r.promotion_id
                 WHERE r.user_id IN (SELECT promotion_accounts(p_user)) AND o.kind = 'purchase' AND o.is_first_purchase))
      THEN 'not_first_purchase'
    WHEN p_promotion.redeemed >= p_promotion.max_redemptions OR p_promotion.given + p_bonus > p_promotion.budget
      THEN 'exhausted'
    WHEN p_bonus <= 0 THEN 'too_small'
  END
$$;

-- Reserves the bonus of a payment that begins, so that the buyer gets what the checkout shows. Locks the wallets of
-- the mailbox and then the promotion: redemptions of one promotion run one at a time, and no limit is passed. Returns
-- why not, or the bonus.
CREATE OR REPLACE FUNCTION promotion_reserve(p_session text, p_code text, p_now timestamptz)
RETURNS TABLE (refusal text, credits bigint)
LANGUAGE plpgsql AS $$
DECLARE
  payment checkout_session;
  offer promotion;
  bonus bigint;
  reason text;
BEGIN
  SELECT * INTO STRICT payment FROM checkout_session WHERE id = p_session;
  PERFORM 1 FROM wallet WHERE user_id IN (SELECT promotion_accounts(payment.user_id)) ORDER BY user_id FOR UPDATE;
  SELECT * INTO offer FROM promotion WHERE code = p_code FOR UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::bigint; RETURN; END IF;
  bonus := promotion_bonus(offer, payment.credits);
  reason := promotion_refusal(offer, payment.user_id, payment.partner_id, bonus, p_now);
  IF reason IS NULL THEN
    PERFORM promotion_take(offer.id, p_session, payment.user_id, payment.partner_id, bonus, p_now);
  END IF;
  RETURN QUERY SELECT reason, bonus;
END $$;

-- Writes a redemption that is not booked yet, and counts it.
CREATE OR REPLACE FUNCTION promotion_take(
  p_promotion text, p_redemption text, p_user text, p_partner text, p_credits bigint, p_now timestamptz
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO promotion_redemption (id, promotion_id, user_id, partner_id, credits, created_at)
    VALUES (p_redemption, p_promotion, p_user, p_partner, p_credits, p_now);
  UPDATE promotion SET redeemed = redeemed + 1, given = given + p_credits WHERE id = p_promotion
$$;

-- Books the credits of a redemption, once. They earn no commission unless `p_earns` is true. Returns nothing if there
-- is no such redemption, as for a purchase without a promotion.
CREATE OR REPLACE FUNCTION promotion_book(
  p_redemption text, p_transaction text, p_earns boolean, p_now timestamptz, p_earnings_hold interval
) RETURNS TABLE (transaction_id text, balance bigint, credits_added bigint, repeated boolean)
LANGUAGE plpgsql AS $$
DECLARE
  redemption promotion_redemption;
BEGIN
  SELECT * INTO redemption FROM promotion_redemption WHERE id = p_redemption;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT * FROM ledger_deposit(redemption.user_id, redemption.partner_id, 'promotion', p_redemption,
    p_transaction, redemption.credits, CASE WHEN p_earns THEN 0 ELSE redemption.credits END, 'promotion_expense', NULL,
    p_earnings_hold);
  UPDATE promotion_redemption SET booked_at = p_now WHERE id = p_redemption AND booked_at IS NULL;
END $$;

-- Redeems a gift link: checks, counts and books in one call. A repetition by the same user returns the first booking.
-- The pocket must exist. Returns the booking, or the reason for a refusal.
CREATE OR REPLACE FUNCTION promotion_redeem_gift(
  p_link bytea, p_user text, p_transaction text, p_earns boolean, p_now timestamptz, p_earnings_hold interval
) RETURNS TABLE (refusal text, credits bigint, transaction_id text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  offer promotion;
  redemption text;
  earlier promotion_redemption;
  reason text;
BEGIN
  PERFORM 1 FROM wallet WHERE user_id = p_user FOR UPDATE;
  SELECT p.* INTO offer FROM promotion p JOIN promotion_link l ON l.promotion_id = p.id
    WHERE l.code_hash = p_link FOR UPDATE OF p;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', 0::bigint, NULL::text; RETURN; END IF;
  redemption := offer.id || ':' || left(encode(p_link, 'hex'), 32);
  SELECT * INTO earlier FROM promotion_redemption WHERE id = redemption;
  reason := CASE
    WHEN earlier.user_id <> p_user THEN 'exhausted'
    WHEN earlier.user_id IS NULL
      THEN promotion_refusal(offer, p_user, coalesce(offer.partner_id, ''), offer.credits, p_now) END;
  IF reason IS NOT NULL THEN RETURN QUERY SELECT reason, offer.credits, NULL::text; RETURN; END IF;
  IF earlier.user_id IS NULL THEN
    PERFORM promotion_take(offer.id, redemption, p_user, coalesce(offer.partner_id, ''), offer.credits, p_now);
  END IF;
  RETURN QUERY SELECT NULL::text, offer.credits, b.transaction_id
    FROM promotion_book(redemption, p_transaction, p_earns, p_now, p_earnings_hold) b;
END $$;

-- Releases the bonus reserved for a payment that ends unpaid. A trigger, because a payment ends in several places,
-- and one that is forgotten would use up a limit.
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
