import { OF } from './invariants';

/** From `$2` to before `$3`; null means since the beginning or until now. */
const WITHIN = (column: string): string =>
  `($2::timestamptz IS NULL OR ${column} >= $2) AND ($3::timestamptz IS NULL OR ${column} < $3)`;

const BOOKED = `
  SELECT t.user_id, t.id, t.partner_id, t.kind, t.cause_id, t.credits, e.*
  FROM ledger_transaction t
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(p.amount), 0) AS total,
           coalesce(sum(p.amount) FILTER (WHERE p.account = 'pocket'), 0) AS pockets,
           coalesce(sum(p.amount) FILTER (WHERE p.account = 'provider_cost'), 0) AS cost,
           -- The share of granted credits is booked to promotion_expense.
           coalesce(sum(p.amount) FILTER (WHERE p.account IN ('partner_earnings', 'promotion_expense')), 0) AS share,
           bool_or(p.account <> ALL (CASE t.kind
             WHEN 'usage' THEN ARRAY['pocket', 'provider_cost', 'partner_earnings', 'overrun_loss', 'promotion_expense']
             WHEN 'adjustment' THEN ARRAY['pocket', 'promotion_expense']
             WHEN 'promotion' THEN ARRAY['pocket', 'promotion_expense']
             WHEN 'earnings_reversal' THEN ARRAY['partner_earnings', 'chargeback_loss']
             WHEN 'permission' THEN '{}'
             ELSE ARRAY['pocket', 'processor_clearing'] END)) AS is_of_another_kind,
           -- A request may be paid from any pocket.
           bool_or(p.partner_id <> t.partner_id AND (p.account = 'partner_earnings'
             OR p.account = 'pocket' AND t.kind <> 'usage')) AS is_of_another_partner
    FROM jsonb_to_recordset(t.postings) AS p (account text, partner_id text, amount bigint)) e
  WHERE ${WITHIN('t.created_at')} AND ${OF('t.user_id')}`;

/** The prices by version and tier: a tier applies to prompts of more tokens than `above`, up to `up_to`. */
const PRICE = `
  SELECT version, model_id, above, lead(above, 1, 'infinity') OVER (PARTITION BY version ORDER BY above) AS up_to,
         (prices ->> 'input')::numeric AS input, (prices ->> 'output')::numeric AS output,
         (prices ->> 'cache_read')::numeric AS cache_read, (prices ->> 'cache_write_5m')::numeric AS cache_write_5m,
         (prices ->> 'cache_write_1h')::numeric AS cache_write_1h
  FROM (
    SELECT version, model_id, -1::numeric AS above, prices FROM model_price
    UNION ALL
    SELECT version, model_id, (tier ->> 'above')::numeric, tier
    FROM model_price, jsonb_array_elements(prices -> 'tiers') AS tier) p
  WHERE version IN (SELECT price_version FROM receipt)`;

/** The exact cost is unknown if the provider reported it: it was rounded up once. */
const PRICED = `
  SELECT r.*, p.model_id, ledger_charge(e.most, 0) AS cost, least(r.held, ledger_charge(e.least, r.rate_bp)) AS lowest,
         least(r.held, ledger_charge(e.most, r.rate_bp)) AS highest
  FROM receipt r
  LEFT JOIN price p ON p.version = r.price_version AND r.prompt_tokens > p.above AND r.prompt_tokens <= p.up_to
  CROSS JOIN LATERAL (SELECT r.input_tokens * p.input + r.cache_read_tokens * p.cache_read
    + r.cache_write_tokens * p.cache_write_5m + r.cache_write_1h_tokens * p.cache_write_1h
    + r.output_tokens * p.output AS exact) c
  CROSS JOIN LATERAL (SELECT
    CASE WHEN r.cost_reported THEN greatest(0, (r.provider_cost - 1) * 1000000::numeric + 1) ELSE c.exact END AS least,
    CASE WHEN r.cost_reported THEN r.provider_cost * 1000000::numeric ELSE c.exact END AS most) e`;

// Another provider than that of the model serves a request if it takes over.
const HAS_OTHER_PRICE = `model_id IS NULL OR provider <> split_part(model_id, '/', 1)
  OR (model <> model_id AND provider = split_part(model, '/', 1))`;
const HAS_OTHER_COST = 'provider_cost <> cost';
const HAS_OTHER_CHARGE = `charge NOT BETWEEN lowest AND highest
  OR partner_share <> greatest(0, charge - provider_cost)`;

const DISAGREES = (
  receipt: string,
): string => `${receipt}.charge <> -t.credits OR ${receipt}.charge > ${receipt}.held
      OR ${receipt}.provider_cost <> t.cost OR ${receipt}.partner_share <> t.share OR ${receipt}.partner_id <> t.partner_id`;

/**
 * What was booked for users (`$1`) from a time (`$2`) to before another (`$3`), read once. If one of these times falls
 * between a receipt and its transaction, the other one is looked up.
 */
export const BOOKING_INVARIANTS = `
  WITH booked AS MATERIALIZED (${BOOKED}),
  receipt AS MATERIALIZED (
    SELECT *, input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens AS prompt_tokens
    FROM usage WHERE ${WITHIN('created_at')} AND ${OF('user_id')}),
  price AS MATERIALIZED (${PRICE}),
  broken_transaction AS MATERIALIZED (
    SELECT * FROM booked WHERE credits <> pockets OR total <> 0 OR is_of_another_kind OR is_of_another_partner),
  broken_receipt AS MATERIALIZED (
    SELECT * FROM (${PRICED}) p WHERE ${HAS_OTHER_PRICE} OR ${HAS_OTHER_COST} OR ${HAS_OTHER_CHARGE})
  SELECT v.* FROM broken_transaction CROSS JOIN LATERAL (
    SELECT 'the credits of a transaction equal its pocket postings' AS invariant, id AS subject,
           (credits - pockets)::text AS difference WHERE credits <> pockets
    UNION ALL SELECT 'the postings of a transaction sum to zero', id, total::text WHERE total <> 0
    UNION ALL SELECT 'a transaction posts to the accounts of its kind', id, NULL WHERE is_of_another_kind
    UNION ALL SELECT 'a transaction posts to its own partner', id, NULL WHERE is_of_another_partner) v
  UNION ALL
  SELECT CASE WHEN r.request_id IS NULL THEN 'every charged request has a receipt'
              ELSE 'every receipt matches the postings of its transaction' END,
         coalesce(r.request_id, t.id), (coalesce(r.charge, 0) + coalesce(t.credits, 0))::text
  FROM receipt r
  FULL JOIN (SELECT * FROM booked WHERE kind = 'usage') t ON t.user_id = r.user_id AND t.cause_id = r.request_id
  WHERE CASE
    WHEN t.id IS NULL THEN NOT EXISTS (
      SELECT 1 FROM ledger_transaction o WHERE o.user_id = r.user_id AND o.id = 'txn_' || substr(r.request_id, 5))
    WHEN r.request_id IS NULL THEN NOT EXISTS (
      SELECT 1 FROM usage o WHERE o.user_id = t.user_id AND o.request_id = t.cause_id AND NOT (${DISAGREES('o')}))
    ELSE ${DISAGREES('r')} END
  UNION ALL
  SELECT v.* FROM broken_receipt CROSS JOIN LATERAL (
    SELECT 'every receipt names a price of its model and provider' AS invariant, request_id AS subject,
           NULL AS difference WHERE ${HAS_OTHER_PRICE}
    UNION ALL SELECT 'the cost of a receipt follows from its tokens and its price', request_id,
           (provider_cost - cost)::text WHERE ${HAS_OTHER_COST}
    UNION ALL SELECT 'the charge of a receipt follows from its cost, its rate and its hold', request_id,
           (charge - highest)::text WHERE ${HAS_OTHER_CHARGE}) v`;
