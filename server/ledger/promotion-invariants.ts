import { OF } from './invariants';

/** The bonus credits of users against their redemptions. `$1` selects users. */
export const BONUS_INVARIANTS = [
  `SELECT 'a booked redemption of a promotion and its transaction agree' AS invariant, coalesce(r.id, t.cause_id) AS subject,
          (coalesce(t.credits, 0) - coalesce(r.credits, 0))::text AS difference
   FROM (SELECT * FROM promotion_redemption WHERE booked_at IS NOT NULL AND ${OF('user_id')}) r
   FULL JOIN (SELECT * FROM ledger_transaction WHERE kind = 'promotion' AND related_id IS NULL AND ${OF('user_id')}) t
     ON t.cause_id = r.id
   WHERE r.id IS NULL OR t.id IS NULL OR (r.user_id, r.partner_id, r.credits) <> (t.user_id, t.partner_id, t.credits)`,

  `SELECT 'a bonus is reserved only for a payment in progress' AS invariant, r.id AS subject, NULL AS difference
   FROM promotion_redemption r LEFT JOIN checkout_session s ON s.id = r.id
   WHERE r.booked_at IS NULL AND ${OF('r.user_id')} AND coalesce(s.status NOT IN ('open', 'processing'), true)`,

  `SELECT 'the bonus taken back of a purchase is in proportion to its credits taken back' AS invariant, b.id AS subject,
          (r.bonus - ledger_part(b.credits, r.bought, p.credits))::text AS difference
   FROM ledger_transaction b
   JOIN purchase p ON p.session_id = b.cause_id
   CROSS JOIN LATERAL (
     SELECT coalesce(-sum(t.credits) FILTER (WHERE t.kind = 'promotion'), 0)::bigint AS bonus,
            coalesce(-sum(t.credits) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS bought
     FROM ledger_transaction t WHERE t.user_id = b.user_id AND t.related_id = b.cause_id) r
   WHERE b.kind = 'promotion' AND b.related_id IS NULL AND ${OF('b.user_id')}
     AND r.bonus <> ledger_part(b.credits, r.bought, p.credits)`,
];

/** The counters and limits of all promotions. */
export const PROMOTION_INVARIANTS = [
  `SELECT 'a promotion counts its redemptions and their credits' AS invariant, p.id AS subject,
          (p.given - coalesce(r.credits, 0))::text AS difference
   FROM promotion p
   LEFT JOIN (SELECT promotion_id, count(*) AS redemptions, sum(credits) AS credits
              FROM promotion_redemption GROUP BY 1) r ON r.promotion_id = p.id
   WHERE (p.redeemed, p.given) <> (coalesce(r.redemptions, 0), coalesce(r.credits, 0))`,

  `SELECT 'no promotion passes its limits' AS invariant, p.id AS subject, NULL AS difference
   FROM promotion p
   WHERE p.redeemed > p.max_redemptions OR p.given > p.budget OR EXISTS (
     SELECT 1 FROM promotion_redemption r LEFT JOIN "user" u ON u.id = r.user_id WHERE r.promotion_id = p.id
     GROUP BY coalesce(encode(u.mailbox_hash, 'hex'), r.user_id) HAVING count(*) > p.max_per_user)`,
];
