import { MICROCREDITS_PER_CREDIT } from '../../base/credits';
import { invariant } from '../../base/errors';
import { readLate } from '../../base/replica';
import type { Range } from '../activity/install-activity';

/**
 * What the operator earned or lost in a period, in microcredits. Each line is its effect on the result, so costs are
 * negative and the result is their sum. Credits count when they are spent: a sale alone earns nothing.
 */
export type MarginLines = {
  /** What users paid for requests. */
  charged: bigint;
  /** At list price, as far as the charges cover it. */
  providerCost: bigint;
  overruns: bigint;
  /** Calls that nobody was charged for. */
  losses: bigint;
  /** What partners keep: without commission on granted credits, and less what was reversed. */
  commission: bigint;
  /** Granted credits, bonus credits included. Users paid nothing for them. */
  grantedSpent: bigint;
  /** Credits that were spent before their payment was refunded or disputed, as far as their users still owe them. */
  reversals: bigint;
  /** What corrections gave back, less the provider cost and commission that fell with them. */
  corrections: bigint;
  /** Tax that purchases include, without what was refunded. */
  tax: bigint;
  processing: bigint;
};

export type Margin = MarginLines & {
  result: bigint;
  /** The part of `losses` that providers may not have billed. */
  estimatedLosses: bigint;
};

/** The payment processor reports no fees with a payment. These are the list prices of Stripe for cards in the United States. */
export const FEE_ESTIMATE = { bp: 290n, creditsPerPayment: 30n, creditsPerDispute: 1500n } as const;

export async function readMargin({ from, to }: Range): Promise<Margin> {
  const { rows } = await readLate<Sums>(SUMS, [from, to]);
  const [sums] = rows;
  invariant(sums, 'a query of sums returns a row');
  const lines: MarginLines = {
    charged: sums.charge,
    providerCost: sums.overruns - sums.providerCost,
    overruns: -sums.overruns,
    losses: -sums.losses,
    commission: sums.withheld + sums.reversedCommission - sums.partnerShare,
    grantedSpent: -sums.granted,
    reversals: -sums.reversals,
    corrections: sums.corrections,
    tax: -sums.tax,
    processing: -estimateFees(sums),
  };
  return {
    ...lines,
    result: Object.values(lines).reduce((sum, line) => sum + line, 0n),
    estimatedLosses: -sums.estimatedLosses,
  };
}

/** Rounded up to the microcredit. */
function estimateFees({ sold, purchases, disputes }: Sums): bigint {
  const { bp, creditsPerPayment, creditsPerDispute } = FEE_ESTIMATE;
  const fixed = (purchases * creditsPerPayment + disputes * creditsPerDispute) * MICROCREDITS_PER_CREDIT;
  return (sold * bp + 9_999n) / 10_000n + fixed;
}

type Sums = Record<
  | 'charge'
  | 'providerCost'
  | 'partnerShare'
  | 'sold'
  | 'purchases'
  | 'withheld'
  | 'reversedCommission'
  | 'granted'
  | 'corrections'
  | 'overruns'
  | 'losses'
  | 'estimatedLosses'
  | 'reversals'
  | 'tax'
  | 'disputes',
  bigint
>;

/** $1 and $2 are the first day and the day after the last one, in UTC. */
const within = (column: string): string =>
  `${column} >= $1::date::timestamp AT TIME ZONE 'UTC' AND ${column} < $2::date::timestamp AT TIME ZONE 'UTC'`;

const ofKinds = (...kinds: string[]): string =>
  `coalesce(sum(credits) FILTER (WHERE kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')})), 0)::bigint`;

/** Sums of one roll-up, so that all of them include the same requests. */
const ROLLED_UP = `
  (SELECT coalesce(sum(charge), 0)::bigint AS charge, coalesce(sum(provider_cost), 0)::bigint AS "providerCost",
          coalesce(sum(partner_share), 0)::bigint AS "partnerShare"
   FROM activity_partner_day WHERE day >= $1::date AND day < $2::date) usage_sums,
  (SELECT ${ofKinds('purchase')} AS sold,
          coalesce(sum(entries) FILTER (WHERE kind = 'purchase'), 0)::bigint AS purchases,
          ${ofKinds('commission_withheld')} AS withheld, ${ofKinds('commission_reversed')} AS "reversedCommission",
          ${ofKinds('granted_spent', 'granted_as_bought')} AS granted, ${ofKinds('correction_result')} AS corrections
   FROM activity_money_day WHERE day >= $1::date AND day < $2::date) money_sums`;

/** The condition is that of the index ledger_transaction_overrun. */
const OVERRUNS = `
  (SELECT coalesce(sum(provider_cost - charge), 0)::bigint AS overruns FROM usage
   WHERE provider_cost > charge + 1 AND ${within('created_at')}) overrun_sums`;

const LOSSES = `
  (SELECT coalesce(sum(cost), 0)::bigint AS losses,
          coalesce(sum(cost) FILTER (WHERE is_estimated), 0)::bigint AS "estimatedLosses"
   FROM provider_loss WHERE ${within('at')}) loss_sums`;

/**
 * Pockets that owe bought credits today (`own_granted - own` of them), by their newest reversals. A later purchase, a won
 * dispute or a failed refund lowers what a past period lost.
 */
const REVERSALS = `
  reversed AS MATERIALIZED (
    SELECT user_id, partner_id, session_id FROM purchase WHERE refunded_minor > 0 OR disputed_minor > 0
  ), owing AS MATERIALIZED (
    SELECT u.user_id, u.partner_id, u.own_granted - u.own AS credits
    FROM (SELECT DISTINCT user_id, partner_id FROM reversed) r
    JOIN user_app u ON u.user_id = r.user_id AND u.partner_id = r.partner_id WHERE u.own_granted > u.own
  ), taken AS (
    SELECT o.user_id, o.partner_id, o.credits AS owed, r.session_id, t.credits, t.at
    FROM owing o JOIN reversed r ON r.user_id = o.user_id AND r.partner_id = o.partner_id
    CROSS JOIN LATERAL (
      SELECT -sum(t.credits) AS credits, max(t.created_at) FILTER (WHERE t.credits < 0) AS at
      FROM ledger_transaction t WHERE t.user_id = o.user_id AND t.related_id = r.session_id AND t.kind = 'refund') t
  ), lost AS (
    SELECT at, least(credits, greatest(0, owed - coalesce(sum(credits) OVER (
      PARTITION BY user_id, partner_id ORDER BY at DESC, session_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS credits
    FROM taken
  )`;

/** A cent is a credit, at the rate of the purchase. Rounded up to the microcredit, once. */
const TAX = `
  (SELECT coalesce(ceil(sum(tax_minor::numeric * (amount_minor - refunded_minor - disputed_minor) / amount_minor
            * rate * 1000000)), 0)::bigint AS tax
   FROM purchase WHERE tax_minor > 0 AND ${within('created_at')}) tax_sums`;

const SUMS = `WITH ${REVERSALS}
  SELECT * FROM ${ROLLED_UP}, ${OVERRUNS}, ${LOSSES}, ${TAX},
  (SELECT coalesce(sum(credits), 0)::bigint AS reversals FROM lost WHERE ${within('at')}) reversal_sums,
  (SELECT count(*) AS disputes FROM payment_alert
   WHERE kind = 'dispute' AND takes_money AND ${within('created_at')}) dispute_sums`;
