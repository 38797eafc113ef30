import { OF } from './invariants';

/** Corrections against the ledger. `$1` selects users. */
export const CORRECTION_INVARIANTS = [
  `SELECT 'a correction that is booked, its batch and its transaction agree' AS invariant,
          coalesce('req_' || substr(c.transaction_id, 5), t.id) AS subject,
          (coalesce(t.credits, 0) - coalesce(c.credits, 0))::text AS difference
   FROM (SELECT * FROM correction WHERE booked_at IS NOT NULL AND ${OF('user_id')}) c
   FULL JOIN (SELECT * FROM ledger_transaction WHERE kind = 'correction' AND ${OF('user_id')}) t
     ON t.related_id = c.batch_id AND t.note = c.transaction_id
   LEFT JOIN correction_batch b ON b.id = c.batch_id
   WHERE c.batch_id IS NULL OR t.id IS NULL OR b.id IS NULL OR b.state NOT IN ('approved', 'booked')
     OR (t.user_id, t.partner_id, t.credits, t.cause_id) <>
        (c.user_id, c.partner_id, c.credits, c.transaction_id || ':' || c.batch_id)`,

  `SELECT 'a request is corrected by what it was charged at most' AS invariant, 'req_' || substr(c.id, 5) AS subject,
          (c.credits + t.credits)::text AS difference
   FROM (SELECT note AS id, user_id, sum(credits) AS credits FROM ledger_transaction
         WHERE kind = 'correction' AND ${OF('user_id')} GROUP BY 1, 2) c
   LEFT JOIN ledger_transaction t ON t.id = c.id AND t.user_id = c.user_id AND t.kind = 'usage'
   WHERE t.id IS NULL OR c.credits > -t.credits`,
];

/** What an operator approved is what the batch consists of. */
export const CORRECTION_BATCH_INVARIANT = `
  SELECT 'a batch of corrections is what it consists of, and booked if it says so' AS invariant, b.id AS subject,
         (b.credits - s.credits)::text AS difference
  FROM correction_batch b
  CROSS JOIN LATERAL (
    SELECT count(*) AS requests, count(DISTINCT user_id) AS users, coalesce(sum(credits), 0) AS credits,
           count(*) FILTER (WHERE booked_at IS NULL) AS open, count(booked_at) AS booked
    FROM correction c WHERE c.batch_id = b.id) s
  WHERE b.state <> 'preparing' AND ((b.requests, b.users, b.credits) <> (s.requests, s.users, s.credits)
    OR b.state = 'booked' AND s.open > 0 OR b.state IN ('proposed', 'discarded') AND s.booked > 0)`;
