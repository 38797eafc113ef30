-- Matches a user's commission to what the user paid for. If refunds and disputes took back more bought credits
-- than a pocket still had, some requests were served on credits nobody paid for: `own_granted - own` of them.
-- The commission on that many credits is reversed, oldest request first, and restored once a won dispute, a
-- failed refund or a later purchase covers them again. Only the difference to what is already reversed is
-- booked, so the result depends on the pockets and not on the order of events.
--
-- Commission can be reversed as long as a payment can be disputed, or until it matures if that is later, whether
-- or not it was paid out. After that it is final: what is reversed by then can only be restored.
--
-- Each booking is a separate transaction. Its note names the transaction of the request, its related_id the
-- purchase whose booking caused it.
CREATE OR REPLACE FUNCTION ledger_match_earnings(p_user text, p_related text, p_default_hold interval)
RETURNS void LANGUAGE sql AS $$
  WITH unpaid AS (
    SELECT partner_id AS pocket, own_granted - own AS credits FROM user_app WHERE user_id = p_user AND own_granted > own
  ),
  app AS (
    SELECT partner_id, clock_timestamp() - greatest(ledger_dispute_period(), ledger_earnings_hold(partner_id, p_default_hold)) AS final_until
    FROM user_app WHERE user_id = p_user
  ),
  moved AS MATERIALIZED (
    SELECT r.note AS id, count(*) AS steps, -sum(e.amount)::bigint AS reversed
    FROM ledger_transaction r
    CROSS JOIN LATERAL ledger_entries(r.kind, r.partner_id, r.credits, r.provider_cost, r.partner_share, r.postings) e
    WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND e.account = 'partner_earnings'
    GROUP BY 1
  ),
  -- What corrections changed of the bought credits and of the commission of a request. Commission rises only if the
  -- request cost more than its hold, so that the partner earned nothing on it.
  corrected AS MATERIALIZED (
    SELECT c.note AS id, e.partner_id AS pocket, sum(coalesce(e.granted, 0) - e.amount) AS bought, NULL::bigint AS share
    FROM ledger_transaction c
    CROSS JOIN LATERAL ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) e
    WHERE c.user_id = p_user AND c.kind = 'correction' AND e.account = 'pocket' GROUP BY 1, 2
    UNION ALL
    SELECT c.note, NULL, NULL, sum(e.amount)::bigint
    FROM ledger_transaction c
    CROSS JOIN LATERAL ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) e
    WHERE c.user_id = p_user AND c.kind = 'correction' AND e.account = 'partner_earnings' GROUP BY 1
  ),
  candidate AS (
    SELECT t.*, true AS is_open
    FROM app a JOIN ledger_transaction t ON t.user_id = p_user AND t.partner_id = a.partner_id AND t.created_at > a.final_until
      AND ledger_slot(t.created_at) >= ledger_slot(a.final_until)
    WHERE t.kind = 'usage' AND (t.partner_share > 0 OR t.id IN (SELECT id FROM corrected WHERE share > 0)) AND EXISTS (SELECT 1 FROM unpaid)
    UNION ALL
    SELECT t.*, t.created_at > a.final_until
    FROM moved m JOIN ledger_transaction t ON t.user_id = p_user AND t.id = m.id JOIN app a ON a.partner_id = t.partner_id
    WHERE t.created_at <= a.final_until OR NOT EXISTS (SELECT 1 FROM unpaid)
  ),
  -- The bought credits that each request took from each pocket, as far as their commission can be reversed.
  piece AS (
    SELECT c.id, c.created_at, c.is_open, p.partner_id AS pocket, coalesce(m.reversed, 0) AS reversed, coalesce(m.steps, 0) AS steps,
           CASE WHEN c.is_open THEN b.bought ELSE coalesce(ceil(b.bought::numeric * m.reversed / nullif(coalesce(p.share, 0) + coalesce(s.share, 0), 0)), 0)
           END AS credits
    FROM candidate c
    LEFT JOIN moved m ON m.id = c.id
    LEFT JOIN corrected s ON s.id = c.id AND s.pocket IS NULL
    CROSS JOIN LATERAL (
      SELECT p.*, sum(p.amount) FILTER (WHERE p.account = 'partner_earnings') OVER () AS share
      FROM ledger_entries(c.kind, c.partner_id, c.credits, c.provider_cost, c.partner_share, c.postings) p WHERE p.account IN ('pocket', 'partner_earnings') OFFSET 0) p
    LEFT JOIN corrected k ON k.id = c.id AND k.pocket = p.partner_id
    CROSS JOIN LATERAL (SELECT coalesce(p.granted, 0) - p.amount + coalesce(k.bought, 0) AS bought) b
    WHERE p.account = 'pocket' AND (p.share IS NOT NULL OR s.share IS NOT NULL)
  ),
  reached AS (
    SELECT p.*, sum(p.credits) OVER (
             PARTITION BY p.pocket ORDER BY p.reversed > 0 DESC, p.created_at, p.id) - p.credits AS before
    FROM piece p
  ),
  -- Most requests are not reached: only the others are worth another look.
  covered AS (
    SELECT r.id, r.is_open, r.reversed, r.steps,
           sum(greatest(0, least(r.credits, coalesce(u.credits, 0) - r.before)))::bigint AS credits
    FROM reached r LEFT JOIN unpaid u ON u.pocket = r.pocket
    WHERE r.reversed > 0 OR r.before < u.credits
    GROUP BY 1, 2, 3, 4
  ),
  wanted AS (
    SELECT c.id, t.partner_id, c.steps,
           least(CASE WHEN c.is_open THEN e.share ELSE c.reversed END, ledger_part(e.share, c.credits, e.bought)) - c.reversed AS amount
    FROM covered c
    JOIN ledger_transaction t ON t.user_id = p_user AND t.id = c.id
    CROSS JOIN LATERAL (
      SELECT (coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0)
               + coalesce((SELECT sum(k.share) FROM corrected k WHERE k.id = c.id), 0))::bigint AS share,
             (sum(coalesce(p.granted, 0) - p.amount) FILTER (WHERE p.account = 'pocket')
               + coalesce((SELECT sum(k.bought) FROM corrected k WHERE k.id = c.id), 0))::bigint AS bought
      FROM ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p) e
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, 'txn_' || substr(md5(w.id || ':' || w.steps + 1), 1, 22), w.partner_id, 'earnings_reversal',
    w.id || ':' || w.steps + 1, p_related, 0, 0, w.id,
    ledger_postings('partner_earnings', w.partner_id, -w.amount, 'chargeback_loss')
  FROM wanted w WHERE w.amount <> 0;
$$;
