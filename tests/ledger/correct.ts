import { nowDate } from '@/server/base/clock';
import { type Microcredits, microcredits } from '@/server/base/credits';
import { pool, prisma } from '@/server/base/db';
import { bookCorrections, closeProposal, openProposal, writeProposal } from '@/server/ledger';

/** Corrections of requests, as a command proposes them and an operator approves them. */

export type Wish = { requestId: string; credits: Microcredits };

type Charged = {
  userId: string;
  partnerId: string;
  rateBp: number;
  charge: bigint;
  cost: bigint;
  earlier: bigint;
};

/** Proposes to give back so many credits of each request. The provider cost falls with the charge. */
export async function proposeCredits(wishes: readonly Wish[]): Promise<string | null> {
  const batchId = await openProposal({ source: 'receipt', basis: 'a test', reason: 'The price was wrong.' });
  const dues = await Promise.all(
    wishes.map(async ({ requestId, credits }) => {
      const { userId, partnerId, rateBp, charge, cost, earlier } = await readCharged(requestId);
      const due = charge - earlier - credits;
      const dueCost = (due * 10_000n) / (10_000n + BigInt(rateBp));
      return {
        requestId,
        userId,
        partnerId,
        charge: microcredits(due),
        providerCost: microcredits(dueCost < cost ? dueCost : cost),
      };
    }),
  );
  await writeProposal(batchId, dues);
  return (await closeProposal(batchId)) ? batchId : null;
}

async function readCharged(requestId: string): Promise<Charged> {
  const { rows } = await pool().query<Charged>(
    `SELECT user_id AS "userId", partner_id AS "partnerId", rate_bp::int AS "rateBp", charge, provider_cost AS cost,
            (SELECT coalesce(sum(c.credits), 0)::bigint FROM correction c JOIN correction_batch b ON b.id = c.batch_id
             WHERE c.transaction_id = u.transaction_id AND b.state <> 'discarded') AS earlier
     FROM usage u WHERE request_id = $1`,
    [requestId],
  );
  if (rows[0] === undefined) throw new Error(`no request ${requestId}`);
  return rows[0];
}

export async function approve(batchId: string): Promise<void> {
  await prisma().correctionBatch.updateMany({
    where: { id: batchId, state: 'proposed' },
    data: { state: 'approved', decidedBy: 'boss@example.com', decidedAt: nowDate() },
  });
}

/** Gives back credits of requests. */
export async function correct(...wishes: Wish[]): Promise<string> {
  const batchId = await proposeCredits(wishes);
  if (batchId === null) throw new Error('nothing to correct');
  await approve(batchId);
  await bookCorrections();
  return batchId;
}
