-- Matches a user's commission to what the user paid for. If refunds and disputes took back more bought credits
-- than a pocket still had, some requests were served on credits nobody paid for: `own_granted - own` of them.
-- The commission on that many credits is reversed, oldest request first, and restored once a won dispute, a
-- failed refund or a later purchase covers them again. Only the difference to what is already reversed is
-- booked, so the result depends on the pockets and not on the order of events.
--
-- Commission that has matured is final. Commission that was restored matures again, from that moment.
--
-- Each booking is a separate transaction. Its note names the transaction of the request, its related_id the
-- purchase whose booking caused it.
CREATE OR REPLACE FUNCTION ledger_match_earnings(p_user text, p_related text, p_default_hold interval)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  longest_hold interval;
BEGIN
  SELECT greatest(p_default_hold, make_interval(days => coalesce(max(earnings_hold_days), 0))) INTO longest_hold FROM partner;
  WITH unpaid AS (
    SELECT partner_id AS pocket, own_granted - own AS credits FROM user_app WHERE user_id = p_user AND own_granted > own
  ),
  moved AS (
    SELECT r.note AS id, count(*) AS steps, -sum(e.amount)::bigint AS reversed,
           coalesce(sum(e.amount) FILTER (WHERE e.amount > 0
             AND r.created_at > clock_timestamp() - ledger_earnings_hold(e.partner_id, p_default_hold)), 0)::bigint AS restored_lately
    FROM ledger_transaction r
    CROSS JOIN LATERAL jsonb_to_recordset(r.postings) AS e (account text, partner_id text, amount bigint)
    WHERE r.user_id = p_user AND r.kind = 'earnings_reversal' AND e.account = 'partner_earnings'
    GROUP BY 1
  ),
  candidate AS (
    SELECT id FROM moved
    UNION
    SELECT t.id FROM ledger_transaction t
    WHERE t.user_id = p_user AND t.kind = 'usage' AND t.created_at > clock_timestamp() - longest_hold
      AND EXISTS (SELECT 1 FROM unpaid)
  ),
  earned AS (
    SELECT t.id, t.created_at, t.postings, e.partner_id, e.share, e.bought,
           coalesce(m.reversed, 0) AS reversed, coalesce(m.steps, 0) AS steps,
           CASE WHEN t.created_at > clock_timestamp() - ledger_earnings_hold(e.partner_id, p_default_hold) THEN e.share
                ELSE coalesce(m.reversed + m.restored_lately, 0) END AS reversible
    FROM candidate c
    JOIN ledger_transaction t ON t.user_id = p_user AND t.id = c.id
    LEFT JOIN moved m ON m.id = c.id
    CROSS JOIN LATERAL (
      SELECT max(p.partner_id) FILTER (WHERE p.account = 'partner_earnings') AS partner_id,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'partner_earnings'), 0)::bigint AS share,
             coalesce(sum(coalesce(p.granted, 0) - p.amount) FILTER (WHERE p.account = 'pocket'), 0)::bigint AS bought
      FROM jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint, granted bigint)) e
    WHERE e.share > 0
  ),
  -- The bought credits that each request took from each pocket, as far as their commission can be reversed.
  piece AS (
    SELECT e.*, p.partner_id AS pocket,
           ceil((coalesce(p.granted, 0) - p.amount)::numeric * e.reversible / e.share) AS credits
    FROM earned e
    CROSS JOIN LATERAL jsonb_to_recordset(e.postings) AS p (account text, partner_id text, amount bigint, granted bigint)
    WHERE p.account = 'pocket'
  ),
  reached AS (
    SELECT p.*, sum(p.credits) OVER (
             PARTITION BY p.pocket ORDER BY p.reversed > 0 DESC, p.created_at, p.id) - p.credits AS before
    FROM piece p
  ),
  wanted AS (
    SELECT r.id, r.partner_id, r.reversed, r.steps,
           least(r.reversible, ledger_part(r.share,
             sum(greatest(0, least(r.credits, coalesce(u.credits, 0) - r.before)))::bigint, r.bought)) - r.reversed AS amount
    FROM reached r LEFT JOIN unpaid u ON u.pocket = r.pocket
    GROUP BY r.id, r.partner_id, r.reversed, r.steps, r.reversible, r.share, r.bought
  )
  INSERT INTO ledger_transaction (user_id, id, partner_id, kind, cause_id, related_id, credits, balance_after, note, postings)
  SELECT p_user, 'txn_' || substr(md5(w.id || ':' || w.steps + 1), 1, 22), w.partner_id, 'earnings_reversal',
    w.id || ':' || w.steps + 1, p_related, 0, 0, w.id,
    ledger_postings('partner_earnings', w.partner_id, -w.amount, 'chargeback_loss')
  FROM wanted w WHERE w.amount <> 0;
END $$;
