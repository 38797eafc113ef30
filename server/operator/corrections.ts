import type pg from 'pg';
import type { CorrectionBatch } from '../../prisma/client/client';
import { nowDate } from '../base/clock';
import { creditsToJson } from '../base/credits';
import { inTransaction, pool, prisma, type Tx } from '../base/db';
import { settings } from '../base/env';
import { ApiError } from '../base/errors';
import { userRef } from './find-user';
import { type Operator, recordAction, requireReason } from './record';

/** Proposed corrections, as operators read and decide them. */

export type ProposedBatch = CorrectionBatch & {
  state: 'proposed' | 'approved' | 'booked' | 'discarded';
};

const LISTED = { state: { not: 'preparing' } };

/** The same in SQL, to be continued by a condition. */
export const SHOWN_BATCH = `SELECT id, source, basis, reason, state, requests, users, credits, created_at AS "createdAt",
  decided_by AS "decidedBy", decided_at AS "decidedAt", booked_at AS "bookedAt"
  FROM correction_batch WHERE state <> 'preparing'`;

type Database = Pick<pg.Pool | pg.PoolClient, 'query'>;

/** Newest first. */
export async function listBatches({ limit, offset }: Page): Promise<{
  batches: ProposedBatch[];
  total: number;
}> {
  const [batches, total] = await Promise.all([
    prisma().correctionBatch.findMany({
      where: LISTED,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
      skip: offset,
    }),
    prisma().correctionBatch.count({ where: LISTED }),
  ]);
  return { batches: batches as ProposedBatch[], total };
}

type Page = { limit: number; offset: number };

export async function findBatch(id: string): Promise<ProposedBatch | null> {
  return (await prisma().correctionBatch.findFirst({ where: { id, ...LISTED } })) as ProposedBatch | null;
}

export type AppSums = {
  partnerId: string;
  appName: string;
  requests: number;
  users: number;
  credits: bigint;
};

/** What users get back in each app, largest first. */
export async function readAppSums(batchId: string, database: Database = pool()): Promise<AppSums[]> {
  const { rows } = await database.query<AppSums>(
    `SELECT c.partner_id AS "partnerId", coalesce(p.name, c.partner_id) AS "appName", count(*)::int AS requests,
            count(DISTINCT c.user_id)::int AS users, sum(c.credits)::bigint AS credits
     FROM correction c LEFT JOIN partner p ON p.id = c.partner_id
     WHERE c.batch_id = $1 GROUP BY 1, 2 ORDER BY credits DESC, 1`,
    [batchId],
  );
  return rows;
}

export type ProposedCorrection = {
  requestId: string;
  userRef: string;
  appName: string;
  model: string;
  at: Date;
  charged: bigint;
  due: bigint;
  credits: bigint;
  bookedAt: Date | null;
};

/** The corrections of a batch, in the order of their requests. */
export async function readBatch(
  batchId: string,
  { limit, offset }: Page,
  database: Database = pool(),
): Promise<ProposedCorrection[]> {
  const { rows } = await database.query<Omit<ProposedCorrection, 'userRef'> & { userId: string }>(
    `SELECT 'req_' || substr(c.transaction_id, 5) AS "requestId", c.user_id AS "userId",
            coalesce(p.name, c.partner_id) AS "appName", t.model, t.created_at AS at, c.charged, c.due, c.credits,
            c.booked_at AS "bookedAt"
     FROM (SELECT * FROM correction WHERE batch_id = $1 ORDER BY transaction_id LIMIT $2 OFFSET $3) c
     JOIN ledger_transaction t ON t.id = c.transaction_id
     LEFT JOIN partner p ON p.id = c.partner_id ORDER BY c.transaction_id`,
    [batchId, limit, offset],
  );
  return rows.map(({ userId, ...row }) => ({ ...row, userRef: userRef(userId) }));
}

export type Decision = 'approve' | 'discard';
const DECIDED = { approve: 'approved', discard: 'discarded' } as const;

type DecisionInput = { operator: Operator; batchId: string; reason: string; decision: Decision };

/** Of two operators, one decides. What is approved is booked by a background job (server/ledger/corrections.ts). */
export async function decideCorrections({
  operator,
  batchId,
  reason,
  decision,
}: DecisionInput): Promise<void> {
  requireReason(reason);
  const state = DECIDED[decision];
  await inTransaction(async (tx) => {
    if (decision === 'approve') await requireOtherOperator(tx, operator, batchId);
    const { count } = await tx.correctionBatch.updateMany({
      where: { id: batchId, state: 'proposed' },
      data: { state, decidedBy: operator, decidedAt: nowDate() },
    });
    const batch = await tx.correctionBatch.findFirst({ where: { id: batchId, ...LISTED } });
    if (batch === null) throw new ApiError('not_found', `There is no batch of corrections ${batchId}`);
    if (count === 0)
      throw new ApiError(
        'invalid_request',
        `These corrections are ${batch.state}: only proposed ones can be ${state}`,
      );
    await recordAction(tx, {
      operator,
      what: `correction.${decision}`,
      subject: batchId,
      reason,
      before: { state: 'proposed' },
      after: {
        state,
        requests: batch.requests,
        users: batch.users,
        credits: creditsToJson(batch.credits),
      },
    });
  });
}

/** An installation with a single operator has nobody else to ask. */
async function requireOtherOperator(tx: Tx, operator: Operator, batchId: string): Promise<void> {
  if (settings().OPERATOR_EMAILS.length < 2) return;
  const own = { subject: batchId, what: 'correction.propose', actor: operator };
  if ((await tx.auditEntry.count({ where: own })) > 0)
    throw new ApiError('invalid_request', 'You proposed these corrections: another operator approves them');
}
