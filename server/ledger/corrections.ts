import { DAY_MS, now, nowDate } from '../base/clock';
import type { Microcredits } from '../base/credits';
import { pool, prisma, querySlowly } from '../base/db';
import { invariant } from '../base/errors';
import { newId } from '../base/ids';
import { describeError, log } from '../base/log';
import { earningsHold } from './claw-back';
import { transactionIdOf } from './settlement';

/**
 * Corrections: what users get back because a request was charged more than the rules say. A batch is prepared in steps,
 * closed in one, approved by an operator, and then booked user by user. Any number of instances may do this at once.
 */

/** What the rules say a request costs. */
export type CorrectionDue = {
  requestId: string;
  userId: string;
  partnerId: string;
  charge: Microcredits;
  providerCost: Microcredits;
};

type NewProposal = { source: 'price' | 'receipt' | 'bill'; basis: string; reason: string };

/** Begins a batch. Until it is closed, it counts for nothing. */
export async function openProposal(proposal: NewProposal): Promise<string> {
  const { id } = await prisma().correctionBatch.create({
    data: { id: newId('cor'), ...proposal, createdAt: nowDate() },
  });
  return id;
}

export async function writeProposal(batchId: string, dues: readonly CorrectionDue[]): Promise<void> {
  await prisma().correction.createMany({
    data: dues.map(({ requestId, userId, partnerId, charge, providerCost }) => ({
      batchId,
      transactionId: transactionIdOf(requestId),
      userId,
      partnerId,
      due: charge,
      dueCost: providerCost,
    })),
  });
}

/** Returns false if nothing is to be corrected that was not proposed or corrected before; the batch is then gone. */
export async function closeProposal(batchId: string): Promise<boolean> {
  await querySlowly('SELECT ledger_close_proposal($1)', [batchId]);
  return (await prisma().correctionBatch.count({ where: { id: batchId } })) === 1;
}

/** Approves corrections that need no decision, because the charge was known to be an estimate. */
export async function approveProposal(batchId: string): Promise<void> {
  await prisma().correctionBatch.update({
    where: { id: batchId, state: 'proposed' },
    data: { state: 'approved', decidedBy: 'svc', decidedAt: nowDate() },
  });
}

/** The command that prepared them was stopped. */
export async function forgetAbandonedProposals(): Promise<void> {
  const since = { state: 'preparing', createdAt: { lt: new Date(now() - DAY_MS) } };
  for (const { id } of await prisma().correctionBatch.findMany({ where: since })) {
    await querySlowly('DELETE FROM correction WHERE batch_id = $1', [id]);
    await prisma().correctionBatch.deleteMany({ where: { id, state: 'preparing' } });
  }
}

const PER_STATEMENT = 100;
const USERS_PER_STEP = 500;

/** Books what operators have approved. What was booked before is skipped, so an interrupted run is continued. */
export async function bookCorrections(stop?: AbortSignal): Promise<void> {
  const approved = await prisma().correctionBatch.findMany({
    where: { state: 'approved' },
    orderBy: { decidedAt: 'asc' },
    select: { id: true },
  });
  for (const { id } of approved) {
    await bookBatch(id, stop);
    if (stop?.aborted) return;
    await endBatch(id);
  }
}

async function bookBatch(batchId: string, stop: AbortSignal | undefined): Promise<void> {
  for (let after = ''; ; ) {
    const { rows: users } = await pool().query<{ id: string }>(
      `SELECT DISTINCT user_id AS id FROM correction
       WHERE batch_id = $1 AND booked_at IS NULL AND user_id > $2 ORDER BY 1 LIMIT $3`,
      [batchId, after, USERS_PER_STEP],
    );
    for (const { id } of users) {
      if (stop?.aborted) return;
      await bookUser(batchId, id);
      after = id;
    }
    if (users.length < USERS_PER_STEP) return;
  }
}

/** The others get theirs; this one is tried again. */
async function bookUser(batchId: string, userId: string): Promise<void> {
  try {
    while ((await correct(batchId, userId)) === PER_STATEMENT);
  } catch (error) {
    log().error(
      { batch_id: batchId, error: describeError(error) },
      'corrections not booked, will be retried',
    );
  }
}

async function correct(batchId: string, userId: string): Promise<number> {
  const { rows } = await pool().query<{ booked: number }>(
    'SELECT ledger_correct($1, $2, $3, $4::interval) AS booked',
    [batchId, userId, PER_STATEMENT, earningsHold()],
  );
  invariant(rows[0], 'ledger_correct returns a row');
  return rows[0].booked;
}

/** Each user gets one mail, due in the statement that ends the batch. */
async function endBatch(batchId: string): Promise<void> {
  await querySlowly(
    `WITH ended AS (
       UPDATE correction_batch SET state = 'booked', booked_at = $2
       WHERE id = $1 AND state = 'approved'
         AND NOT EXISTS (SELECT 1 FROM correction WHERE batch_id = $1 AND booked_at IS NULL)
       RETURNING id)
     INSERT INTO due_mail (kind, ref, due_at)
     SELECT DISTINCT 'correction', jsonb_build_object('batchId', c.batch_id, 'userId', c.user_id), $2::timestamptz
     FROM ended JOIN correction c ON c.batch_id = ended.id`,
    [batchId, nowDate()],
  );
}
