-- The postings that a correction of a request books: what the request would have posted if it had cost `p_returned` less
-- credits and `p_cost` less for the provider, both since it was charged, less what is posted by now. Credits return in the
-- reverse of the order in which they were taken: to the pockets of other apps first, the newest of them first, and to the
-- app's own pocket last; of each pocket, bought credits first. If the commission is final, the operator bears its part.
CREATE OR REPLACE FUNCTION ledger_corrected_postings(
  p_request ledger_transaction, p_returned bigint, p_cost bigint, p_is_final boolean
) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  own_take bigint;
  own_granted bigint;
  drawn jsonb;
  charge CONSTANT bigint := -p_request.credits - p_returned;
  cost CONSTANT bigint := p_request.provider_cost - p_cost;
BEGIN
  WITH taken AS (
    SELECT p.partner_id, -p.amount AS amount, -coalesce(p.granted, 0) AS granted,
           coalesce(sum(-p.amount) OVER (
             ORDER BY p.partner_id = p_request.partner_id, p.partner_id = '', u.created_at DESC, p.partner_id DESC
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM ledger_entries(p_request.kind, p_request.partner_id, p_request.credits, p_request.provider_cost,
           p_request.partner_share, p_request.postings) p
    JOIN user_app u ON u.user_id = p_request.user_id AND u.partner_id = p.partner_id
    WHERE p.account = 'pocket'
  ),
  kept AS (
    SELECT partner_id, (amount - greatest(0, least(amount, p_returned - before)))::bigint AS amount, granted FROM taken
  )
  SELECT coalesce(sum(k.amount) FILTER (WHERE k.partner_id = p_request.partner_id), 0),
         coalesce(sum(least(k.granted, k.amount)) FILTER (WHERE k.partner_id = p_request.partner_id), 0),
         coalesce(jsonb_agg(ledger_pocket_posting(k.partner_id, -k.amount, -least(k.granted, k.amount)) -> 0)
           FILTER (WHERE k.partner_id <> p_request.partner_id AND k.amount > 0), '[]')
    INTO own_take, own_granted, drawn FROM kept k;

  RETURN (
    WITH wanted AS (
      SELECT p.account, p.partner_id, p.amount, coalesce(p.granted, 0) AS granted
      FROM jsonb_to_recordset(ledger_settlement_postings(
        p_request.partner_id, own_take, own_granted, drawn, cost, greatest(0, charge - cost)))
        AS p (account text, partner_id text, amount bigint, granted bigint)
    ),
    posted AS (
      SELECT e.account, e.partner_id, e.amount, coalesce(e.granted, 0) AS granted
      FROM ledger_entries(p_request.kind, p_request.partner_id, p_request.credits, p_request.provider_cost,
        p_request.partner_share, p_request.postings) e
      UNION ALL
      SELECT CASE e.account WHEN 'correction_loss' THEN 'partner_earnings' ELSE e.account END,
             CASE e.account WHEN 'correction_loss' THEN p_request.partner_id ELSE e.partner_id END, e.amount, coalesce(e.granted, 0)
      FROM correction c
      JOIN ledger_transaction t ON t.user_id = c.user_id AND t.kind = 'correction' AND t.cause_id = c.transaction_id || ':' || c.batch_id
      CROSS JOIN LATERAL ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) e
      WHERE c.transaction_id = p_request.id AND c.booked_at IS NOT NULL
    ),
    change AS (
      SELECT account, partner_id, sum(amount)::bigint AS amount, sum(granted)::bigint AS granted
      FROM (SELECT * FROM wanted UNION ALL SELECT account, partner_id, -amount, -granted FROM posted) e GROUP BY 1, 2
    )
    SELECT jsonb_agg(CASE
      WHEN account = 'pocket' THEN ledger_pocket_posting(partner_id, amount, granted) -> 0
      WHEN account = 'partner_earnings' AND p_is_final THEN ledger_posting('correction_loss', '', amount) -> 0
      ELSE ledger_posting(account, partner_id, amount) -> 0 END)
    FROM change WHERE amount <> 0);
END $$;
