import { OF } from './invariants';

/** From `$2` to before `$3`; null means since the beginning or until now. */
const WITHIN = (column: string): string =>
  `($2::timestamptz IS NULL OR ${column} >= $2) AND ($3::timestamptz IS NULL OR ${column} < $3)`;

/**
 * Transactions with their postings. Those of a request without any of its own follow from the columns that are
 * checked as its receipt.
 */
const POSTED = `
  SELECT t.id, t.kind, t.credits, t.provider_cost, t.partner_share, e.*
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
             WHEN 'correction' THEN ARRAY['pocket', 'provider_cost', 'partner_earnings', 'overrun_loss', 'promotion_expense',
               'correction_loss']
             WHEN 'earnings_reversal' THEN ARRAY['partner_earnings', 'chargeback_loss']
             WHEN 'permission' THEN '{}'
             ELSE ARRAY['pocket', 'processor_clearing'] END)) AS is_of_another_kind,
           -- A request may be paid from any pocket, and is corrected in the same.
           bool_or(p.partner_id <> t.partner_id AND (p.account = 'partner_earnings'
             OR p.account = 'pocket' AND t.kind NOT IN ('usage', 'correction'))) AS is_of_another_partner
    FROM ledger_entries(t.kind, t.partner_id, t.credits, t.provider_cost, t.partner_share, t.postings) p) e
  WHERE ${WITHIN('t.created_at')} AND ${OF('t.user_id')} AND (t.kind <> 'usage' OR t.postings IS NOT NULL)`;

/** The prices by version and tier: a tier applies to prompts of more tokens than `above`, up to `up_to`. */
const PRICE = `
  SELECT version, model_id, above, lead(above, 1, 'infinity') OVER (PARTITION BY version ORDER BY above) AS up_to,
         (prices ->> 'input')::numeric AS input, (prices ->> 'output')::numeric AS output,
         (prices ->> 'cache_read')::numeric AS cache_read, (prices ->> 'cache_write_5m')::numeric AS cache_write_5m,
         (prices ->> 'cache_write_1h')::numeric AS cache_write_1h,
         coalesce((prices ->> 'web_search')::numeric, 0) AS web_search,
         coalesce((prices ->> 'input_unit')::numeric, 0) AS input_unit,
         coalesce((prices ->> 'output_unit')::numeric, 0) AS output_unit
  FROM (
    SELECT version, model_id, -1::numeric AS above, prices FROM model_price
    UNION ALL
    SELECT version, model_id, (tier ->> 'above')::numeric, prices || tier
    FROM model_price, jsonb_array_elements(prices -> 'tiers') AS tier) p
  WHERE version IN (SELECT price_version FROM receipt)`;

/**
 * The exact cost is unknown if the provider reported it: it was rounded up once. OFFSET 0 keeps the planner from computing
 * it again wherever it is used, which took a fifth of an audit's time.
 */
const PRICED = `
  SELECT r.*, p.model_id, ledger_charge(e.most, 0) AS cost, least(r.held, ledger_charge(e.least, r.rate_bp)) AS lowest,
         least(r.held, ledger_charge(e.most, r.rate_bp)) AS highest
  FROM receipt r
  LEFT JOIN price p ON p.version = r.price_version AND r.prompt_tokens > p.above AND r.prompt_tokens <= p.up_to
  CROSS JOIN LATERAL (SELECT r.input_tokens * p.input + r.cache_read_tokens * p.cache_read
    + r.cache_write_tokens * p.cache_write_5m + r.cache_write_1h_tokens * p.cache_write_1h
    + r.output_tokens * p.output + coalesce(r.web_searches, 0) * p.web_search
    + coalesce(r.input_units, 0) * p.input_unit + coalesce(r.output_units, 0) * p.output_unit AS exact OFFSET 0) c
  CROSS JOIN LATERAL (SELECT
    CASE WHEN r.cost_reported THEN greatest(0, (r.provider_cost - 1) * 1000000::numeric + 1) ELSE c.exact END AS least,
    CASE WHEN r.cost_reported THEN r.provider_cost * 1000000::numeric ELSE c.exact END AS most) e`;

// Another provider than that of the model serves a request if it takes over.
const HAS_OTHER_PRICE = `model_id IS NULL OR provider <> split_part(model_id, '/', 1)
  OR (model <> model_id AND provider = split_part(model, '/', 1))`;
const HAS_OTHER_COST = 'provider_cost <> cost';
const HAS_OTHER_CHARGE = `charge NOT BETWEEN lowest AND highest
  OR partner_share <> greatest(0, charge - provider_cost)`;

const IS_INCOMPLETE = `num_nulls(key_id, rate_bp, model, provider, price_version, input_tokens, cache_read_tokens,
  cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, estimated, cost_reported, outcome) > 0`;
const HAS_OTHER_POSTINGS = "kind = 'usage' AND (cost <> provider_cost OR share <> partner_share)";

/** What was booked for users (`$1`) from a time (`$2`) to before another (`$3`). */
export const BOOKING_INVARIANTS = `
  WITH receipt AS MATERIALIZED (
    SELECT *, input_tokens::bigint + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens AS prompt_tokens
    FROM usage WHERE ${WITHIN('created_at')} AND ${OF('user_id')}),
  price AS MATERIALIZED (${PRICE}),
  broken_transaction AS MATERIALIZED (
    SELECT * FROM (${POSTED}) p WHERE credits <> pockets OR total <> 0 OR is_of_another_kind OR is_of_another_partner
      OR ${HAS_OTHER_POSTINGS}),
  broken_receipt AS MATERIALIZED (
    SELECT * FROM (${PRICED}) p WHERE ${HAS_OTHER_PRICE} OR ${HAS_OTHER_COST} OR ${HAS_OTHER_CHARGE})
  SELECT v.* FROM broken_transaction CROSS JOIN LATERAL (
    SELECT 'the credits of a transaction equal its pocket postings' AS invariant, id AS subject,
           (credits - pockets)::text AS difference WHERE credits <> pockets
    UNION ALL SELECT 'the postings of a transaction sum to zero', id, total::text WHERE total <> 0
    UNION ALL SELECT 'a transaction posts to the accounts of its kind', id, NULL WHERE is_of_another_kind
    UNION ALL SELECT 'a transaction posts to its own partner', id, NULL WHERE is_of_another_partner
    UNION ALL SELECT 'every receipt matches the postings of its transaction', id,
           (cost + share - provider_cost - partner_share)::text WHERE ${HAS_OTHER_POSTINGS}) v
  UNION ALL
  SELECT 'every charged request has a receipt', id, (-credits)::text
  FROM ledger_transaction WHERE kind = 'usage' AND ${IS_INCOMPLETE} AND ${WITHIN('created_at')} AND ${OF('user_id')}
  UNION ALL
  SELECT v.* FROM broken_receipt CROSS JOIN LATERAL (
    SELECT 'every receipt names a price of its model and provider' AS invariant, request_id AS subject,
           NULL AS difference WHERE ${HAS_OTHER_PRICE}
    UNION ALL SELECT 'the cost of a receipt follows from its tokens and its price', request_id,
           (provider_cost - cost)::text WHERE ${HAS_OTHER_COST}
    UNION ALL SELECT 'the charge of a receipt follows from its cost, its rate and its hold', request_id,
           (charge - highest)::text WHERE ${HAS_OTHER_CHARGE}) v`;
