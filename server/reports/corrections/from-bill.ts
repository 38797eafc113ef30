import { chargeFor, type Microcredits, microcredits, type Picocredits } from '../../base/credits';
import { querySlowly } from '../../base/db';
import type { CorrectionDue } from '../../ledger';
import { BILLED_MODEL, compareBill, type MarginRow, SEARCH_COST, withoutDate } from '../margin/compare-bill';
import type { Bill } from '../margin/read-bill';
import { shareOut } from './share-out';

/** The rows of a bill that are lower than what was recorded, by more than the tolerance. */
export async function findLowerRows(bill: Bill, toleranceBp: number): Promise<MarginRow[]> {
  const rows = await compareBill(bill, toleranceBp);
  return rows.filter(({ differs, billed, recorded, model }) => differs && model !== '' && billed < recorded);
}

/**
 * What was recorded beyond the bill is shared over the requests of the day and model in proportion to their cost, to the
 * microcredit. Their charge follows from the cost that is left, rounded up once like any charge. What other corrections
 * took from their cost counts as not recorded, so the same bill proposes nothing twice.
 */
export async function* findLowerBill(
  provider: string,
  rows: readonly MarginRow[],
): AsyncGenerator<CorrectionDue[]> {
  for (const row of rows) {
    const requests = await readBilled(provider, row);
    const recorded = requests.reduce((sum, { cost }) => sum + cost, 0n);
    const surplus = recorded - row.billed;
    if (surplus <= 0n) continue;
    const shares = shareOut(
      surplus,
      requests.map(({ cost }) => cost),
    );
    yield requests.flatMap((request, at) => lower(request, shares[at] ?? 0n) ?? []);
  }
}

type Billed = {
  requestId: string;
  userId: string;
  partnerId: string;
  model: string;
  rateBp: number;
  held: bigint;
  charge: bigint;
  /** Without web searches. */
  cost: bigint;
  searchCost: bigint;
  isDeleted: boolean;
};

const PICOCREDITS_PER_MICROCREDIT = 1_000_000n;

function lower({ isDeleted, ...request }: Billed, share: bigint): CorrectionDue | null {
  const { requestId, userId, partnerId, held } = request;
  const providerCost = microcredits(request.cost + request.searchCost - share);
  const { charge: priced } = chargeFor(
    (providerCost * PICOCREDITS_PER_MICROCREDIT) as Picocredits,
    request.rateBp,
  );
  const charge: Microcredits = priced < held ? priced : microcredits(held);
  return isDeleted || share === 0n || charge >= request.charge
    ? null
    : { requestId, userId, partnerId, charge, providerCost };
}

/** The requests of a day and model, as a bill has them. */
async function readBilled(provider: string, { day, model }: MarginRow): Promise<Billed[]> {
  const rows = await querySlowly<Billed>(
    `SELECT request_id AS "requestId", user_id AS "userId", partner_id AS "partnerId", ${BILLED_MODEL} AS model,
            rate_bp::int AS "rateBp", held, charge,
            greatest(0, provider_cost - ${SEARCH_COST} - coalesce(e.cost, 0))::bigint AS cost, (${SEARCH_COST})::bigint AS "searchCost",
            EXISTS (SELECT 1 FROM "user" a WHERE a.id = u.user_id AND a.deleted_at IS NOT NULL) AS "isDeleted"
     FROM usage u
     LEFT JOIN LATERAL (
       SELECT sum(c.cost) AS cost FROM correction c JOIN correction_batch b ON b.id = c.batch_id
       WHERE c.transaction_id = u.transaction_id AND b.source <> 'bill' AND b.state IN ('proposed', 'approved', 'booked')) e ON true
     WHERE provider = $1 AND created_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND created_at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'
     ORDER BY transaction_id`,
    [provider, day],
  );
  return rows.filter((row) => withoutDate(row.model) === model);
}
