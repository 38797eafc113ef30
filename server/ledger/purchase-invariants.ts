import { OF } from './invariants';

/** Payments against the ledger. `$1` selects users. */
export const PURCHASE_INVARIANTS = [
  `SELECT 'a completed checkout session, its purchase and its transaction agree' AS invariant,
          coalesce(s.id, p.session_id, t.cause_id) AS subject,
          (coalesce(t.credits, 0) - coalesce(s.credits, 0))::text AS difference
   FROM (SELECT * FROM checkout_session WHERE status = 'completed' AND ${OF('user_id')}) s
   FULL JOIN (SELECT * FROM purchase WHERE ${OF('user_id')}) p ON p.session_id = s.id
   FULL JOIN (SELECT * FROM ledger_transaction WHERE kind = 'purchase' AND ${OF('user_id')}) t
     ON t.cause_id = coalesce(s.id, p.session_id)
   WHERE s.id IS NULL OR p.id IS NULL OR t.id IS NULL OR p.id <> t.id
     OR (s.user_id, s.partner_id, s.credits) <> (p.user_id, p.partner_id, p.credits)
     OR (s.user_id, s.partner_id, s.credits) <> (t.user_id, t.partner_id, t.credits)
     OR (s.currency, s.amount_minor, s.rate) <> (p.currency, p.amount_minor, p.rate)`,

  // In credits, a minor unit is worth its rate: 100 of them are one unit, and 100 credits one USD.
  `SELECT 'the credits of a checkout session are its amount at its rate' AS invariant, s.id AS subject,
          (s.credits - e.credits)::text AS difference
   FROM checkout_session s
   CROSS JOIN LATERAL (SELECT floor(s.amount_minor * s.rate) * 1000000 AS credits) e
   WHERE ${OF('s.user_id')} AND s.credits <> e.credits`,

  // Refunds and disputes are rounded down separately.
  `SELECT 'the credits taken back of a purchase are those of its refunds and disputes' AS invariant,
          p.id AS subject, (taken - due)::text AS difference
   FROM purchase p
   CROSS JOIN LATERAL (
     SELECT coalesce(-sum(t.credits), 0) AS taken FROM ledger_transaction t
     WHERE t.user_id = p.user_id AND t.related_id = p.session_id AND t.kind = 'refund') t
   CROSS JOIN LATERAL (SELECT least(p.credits,
     div(p.credits::numeric * (p.refunded_minor + p.disputed_minor), p.amount_minor)) AS due) d
   WHERE ${OF('p.user_id')} AND taken NOT BETWEEN due - 1 AND due`,

  `SELECT 'the invoice of a purchase and its credit notes add up to what is left of the payment' AS invariant,
          p.id AS subject, (invoiced - due)::text AS difference
   FROM purchase p
   CROSS JOIN LATERAL (
     SELECT sum(CASE kind WHEN 'credit_note' THEN -i.amount_minor ELSE i.amount_minor END) AS invoiced,
            sum(CASE kind WHEN 'credit_note' THEN -i.tax_minor ELSE i.tax_minor END) AS taxed,
            count(*) FILTER (WHERE kind = 'invoice') AS invoices
     FROM invoice i WHERE i.purchase_id = p.id) i
   CROSS JOIN LATERAL (SELECT p.amount_minor - least(p.amount_minor, p.refunded_minor + p.disputed_minor) AS due) d
   WHERE ${OF('p.user_id')} AND invoiced IS NOT NULL
     AND (invoices <> 1 OR invoiced <> due OR abs(taxed * p.amount_minor - p.tax_minor::bigint * due) > p.amount_minor)`,
];

/** The numbers of invoices and credit notes: each series counts from 1, without gaps. */
export const INVOICE_INVARIANT = `
  SELECT 'the numbers of invoices have no gaps' AS invariant, series AS subject,
         (coalesce(i.count, 0) - coalesce(s.last, 0))::text AS difference
  FROM invoice_series s
  FULL JOIN (SELECT series, count(*) AS count, min(serial) AS first, max(serial) AS last FROM invoice GROUP BY 1) i
    USING (series)
  WHERE (s.last, s.last, 1) IS DISTINCT FROM (i.count, i.last, i.first)`;

/** The same for the newest numbers of each series, at a cost that does not grow with their count. */
export const NEW_INVOICES_INVARIANT = `
  SELECT 'the numbers of invoices have no gaps' AS invariant, s.series AS subject,
         (i.count - least(s.last, 1000))::text AS difference
  FROM invoice_series s
  CROSS JOIN LATERAL (
    SELECT count(*), max(serial) AS last FROM invoice WHERE series = s.series AND serial > s.last - 1000) i
  WHERE (least(s.last, 1000), s.last) IS DISTINCT FROM (i.count, i.last)`;

/** Payments that can still be completed. */
export const OPEN_PAYMENT_INVARIANT = `
  SELECT 'the credits of a checkout session are its amount at its rate' AS invariant, id AS subject,
         (credits - floor(amount_minor * rate) * 1000000)::text AS difference
  FROM checkout_session WHERE status IN ('open', 'processing') AND credits <> floor(amount_minor * rate) * 1000000`;
