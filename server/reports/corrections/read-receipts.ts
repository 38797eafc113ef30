import { DAY_MS, HOUR_MS } from '../../base/clock';
import { chargeFor, microcredits, type Picocredits } from '../../base/credits';
import { querySlowly } from '../../base/db';
import { costOf, type ModelPrices } from '../../gateway/pricing/cost';
import type { CorrectionDue } from '../../ledger';

/** The receipts of a span of days (UTC), to be computed again. */

/** Days such as `2026-11-21`; the last one is included. */
export type Span = { from: string; to: string };

export type ChargedReceipt = {
  requestId: string;
  userId: string;
  partnerId: string;
  priceVersion: string;
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  searches: number;
  inputUnits: number;
  outputUnits: number;
  rateBp: number;
  held: bigint;
  charge: bigint;
  providerCost: bigint;
  costReported: boolean;
};

/** Hour by hour, so that no statement reads a whole day. A deleted account gets nothing back. */
export async function* readReceipts(
  { from, to }: Span,
  priceVersion: string | null,
): AsyncGenerator<ChargedReceipt[]> {
  const end = Date.parse(to) + DAY_MS;
  for (let hour = Date.parse(from); hour < end; hour += HOUR_MS)
    yield await querySlowly<ChargedReceipt>(
      `SELECT request_id AS "requestId", user_id AS "userId", partner_id AS "partnerId", price_version AS "priceVersion",
              input_tokens AS input, cache_read_tokens AS "cacheRead", cache_write_tokens AS "cacheWrite5m",
              cache_write_1h_tokens AS "cacheWrite1h", output_tokens AS output, coalesce(web_searches, 0) AS searches,
              coalesce(input_units, 0) AS "inputUnits", coalesce(output_units, 0) AS "outputUnits",
              rate_bp::int AS "rateBp", held, charge, provider_cost AS "providerCost", cost_reported AS "costReported"
       FROM usage
       WHERE created_at >= $1 AND created_at < $2 AND ($3::text IS NULL OR price_version = $3)
         AND NOT EXISTS (SELECT 1 FROM "user" u WHERE u.id = user_id AND u.deleted_at IS NOT NULL)
       ORDER BY transaction_id`,
      [new Date(hour), new Date(hour + HOUR_MS), priceVersion],
    );
}

/** What the rules say for an exact cost; null unless the user was charged more. */
export function findOvercharge(receipt: ChargedReceipt, exact: Picocredits): CorrectionDue | null {
  const { requestId, userId, partnerId, held } = receipt;
  const { charge: priced, providerCost } = chargeFor(exact, receipt.rateBp);
  const charge = priced < held ? priced : microcredits(held);
  return charge < receipt.charge ? { requestId, userId, partnerId, charge, providerCost } : null;
}

export const costAt = (receipt: ChargedReceipt, prices: Omit<ModelPrices, 'automaticCacheWrites'>) =>
  costOf({ ...receipt, reasoning: 0 }, { ...prices, automaticCacheWrites: false });
