import { MICROCREDITS_PER_CREDIT } from '../../base/credits';
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

export async function readMargin(range: Range): Promise<Margin> {
  const [usage, money, overruns, losses, reversals, tax, disputes] = await Promise.all([
    readUsage(range),
    readKinds(range),
    readOverruns(range),
    readLosses(range),
    readReversals(range),
    readTax(range),
    countDisputes(range),
  ]);
  const sold = money.get('purchase') ?? NOTHING;
  const lines: MarginLines = {
    charged: usage.charge,
    providerCost: overruns - usage.providerCost,
    overruns: -overruns,
    losses: -losses.cost,
    commission:
      sumOf(money, 'commission_withheld') + sumOf(money, 'commission_reversed') - usage.partnerShare,
    grantedSpent: -sumOf(money, 'granted_spent') - sumOf(money, 'granted_as_bought'),
    reversals: -reversals,
    corrections: sumOf(money, 'correction_result'),
    tax: -tax,
    processing: -estimateFees(sold, disputes),
  };
  return {
    ...lines,
    result: Object.values(lines).reduce((sum, line) => sum + line, 0n),
    estimatedLosses: -losses.estimated,
  };
}

type KindSums = { entries: bigint; credits: bigint };
const NOTHING: KindSums = { entries: 0n, credits: 0n };

const sumOf = (money: Map<string, KindSums>, kind: string): bigint => money.get(kind)?.credits ?? 0n;

/** Rounded up to the microcredit. */
function estimateFees({ entries, credits }: KindSums, disputes: bigint): bigint {
  const { bp, creditsPerPayment, creditsPerDispute } = FEE_ESTIMATE;
  const fixed = (entries * creditsPerPayment + disputes * creditsPerDispute) * MICROCREDITS_PER_CREDIT;
  return (credits * bp + 9_999n) / 10_000n + fixed;
}

/** From the same roll-up as `readKinds`, so that both include the same requests. */
async function readUsage({ from, to }: Range) {
  const { rows } = await readLate<{ charge: bigint; providerCost: bigint; partnerShare: bigint }>(
    `SELECT coalesce(sum(charge), 0)::bigint AS charge, coalesce(sum(provider_cost), 0)::bigint AS "providerCost",
            coalesce(sum(partner_share), 0)::bigint AS "partnerShare"
     FROM activity_partner_day WHERE day >= $1::date AND day < $2::date`,
    [from, to],
  );
  return rows[0] ?? { charge: 0n, providerCost: 0n, partnerShare: 0n };
}

async function readKinds({ from, to }: Range): Promise<Map<string, KindSums>> {
  const { rows } = await readLate<KindSums & { kind: string }>(
    `SELECT kind, sum(entries)::bigint AS entries, sum(credits)::bigint AS credits FROM activity_money_day
     WHERE day >= $1::date AND day < $2::date GROUP BY 1`,
    [from, to],
  );
  return new Map(rows.map(({ kind, ...sums }) => [kind, sums]));
}

/** $1 and $2 are the first day and the day after the last one, in UTC. */
const within = (column: string): string =>
  `${column} >= $1::date::timestamp AT TIME ZONE 'UTC' AND ${column} < $2::date::timestamp AT TIME ZONE 'UTC'`;

async function readSum(query: string, { from, to }: Range): Promise<bigint> {
  const { rows } = await readLate<{ sum: bigint }>(query, [from, to]);
  return rows[0]?.sum ?? 0n;
}

/** The condition is that of the index ledger_transaction_overrun. */
const readOverruns = (range: Range): Promise<bigint> =>
  readSum(
    `SELECT coalesce(sum(provider_cost - charge), 0)::bigint AS sum FROM usage
     WHERE provider_cost > charge + 1 AND ${within('created_at')}`,
    range,
  );

async function readLosses({ from, to }: Range): Promise<{ cost: bigint; estimated: bigint }> {
  const { rows } = await readLate<{ cost: bigint; estimated: bigint }>(
    `SELECT coalesce(sum(cost), 0)::bigint AS cost, coalesce(sum(cost) FILTER (WHERE is_estimated), 0)::bigint AS estimated
     FROM provider_loss WHERE ${within('at')}`,
    [from, to],
  );
  return rows[0] ?? { cost: 0n, estimated: 0n };
}

/**
 * Pockets that owe bought credits today (`own_granted - own` of them), by their newest reversals. A later purchase, a won
 * dispute or a failed refund lowers what a past period lost.
 */
const readReversals = (range: Range): Promise<bigint> =>
  readSum(
    `WITH reversed AS MATERIALIZED (
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
     )
     SELECT coalesce(sum(credits), 0)::bigint AS sum FROM lost WHERE ${within('at')}`,
    range,
  );

/** A cent is a credit, at the rate of the purchase. Rounded up to the microcredit, once. */
const readTax = (range: Range): Promise<bigint> =>
  readSum(
    `SELECT coalesce(ceil(sum(tax_minor::numeric * (amount_minor - refunded_minor - disputed_minor) / amount_minor
              * rate * 1000000)), 0)::bigint AS sum
     FROM purchase WHERE tax_minor > 0 AND ${within('created_at')}`,
    range,
  );

const countDisputes = (range: Range): Promise<bigint> =>
  readSum(
    `SELECT count(*) AS sum FROM payment_alert WHERE kind = 'dispute' AND takes_money AND ${within('created_at')}`,
    range,
  );
