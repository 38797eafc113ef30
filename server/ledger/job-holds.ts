import type pg from 'pg';
import { type Microcredits, ZERO } from '../base/credits';
import { inSlowTransaction } from '../base/db';
import type { Hold } from './admission';
import { settleIn } from './batch';
import { type Loss, type LossOf, recordLoss } from './losses';
import { noteBooked } from './note-booked';
import { freePocket } from './settle';
import type { Metered, SettlementRow } from './settlement';

/**
 * Holds of requests that go on after their response: a job owns the hold until it ends, on whichever instance. The job
 * is a row of its room, and both change in one transaction.
 */

/** Longer than any job may take: providers end a batch after a day, and its results are read after that. */
export const LONGEST_JOB_SECONDS = 26 * 3_600;

/**
 * Gives the hold of a request to a job, which `makeJob` inserts. No sweeper ends it in the meantime, unless no instance
 * looks after the job for `seconds`. False if the hold no longer exists.
 */
export function giveToJob(
  { userId, requestId }: Pick<Hold, 'userId' | 'requestId'>,
  { jobId, seconds }: { jobId: string; seconds: number },
  makeJob: (client: pg.PoolClient) => Promise<unknown>,
): Promise<boolean> {
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '5s' }, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE hold SET job_id = $3, lease_until = clock_timestamp() + make_interval(secs => $4)
       WHERE user_id = $1 AND request_id = $2`,
      [userId, requestId, jobId, Math.min(seconds, LONGEST_JOB_SECONDS)],
    );
    if (rowCount === 0) return false;
    await makeJob(client);
    return true;
  });
}

/** What a job ends with: a charge, or none, and what the provider may bill in addition to it. */
export type JobEnd = { metered: Required<Metered>; loss?: Loss | null } | { loss: Loss | null };

/**
 * Settles the hold of a job, in the transaction in which `endJob` ends it: a job that has ended before changes nothing.
 * Where the sweeper has released the hold, it has recorded the most that the job may have cost, and nothing is charged.
 * Returns what the user paid; null if the job had ended.
 */
export async function settleJob(
  { userId, requestId, partnerId }: LossOf,
  end: JobEnd,
  endJob: (client: pg.PoolClient, isHeld: boolean) => Promise<boolean>,
): Promise<Microcredits | null> {
  await freePocket(userId);
  const settled = await inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '5s' }, async (client) => {
    // The wallet first, as every settlement does.
    await client.query('SELECT FROM wallet WHERE user_id = $1 FOR UPDATE', [userId]);
    const isHeld = await hasHold(client, userId, requestId);
    if (!(await endJob(client, isHeld))) return null;
    if (!isHeld) return { row: null };
    const row = await settleIn(client, { userId, requestId, ...('metered' in end && end.metered) });
    if (end.loss != null) await recordLoss({ userId, requestId, partnerId }, end.loss, client);
    return { row };
  });
  if (settled === null) return null;
  const { row } = settled;
  if (row !== null && 'metered' in end) noteBooked({ userId, requestId, ...end.metered }, row);
  return paidIn(row);
}

const paidIn = (row: SettlementRow | null): Microcredits => (row?.amount ?? ZERO) as Microcredits;

async function hasHold(client: pg.PoolClient, userId: string, requestId: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM hold WHERE user_id = $1 AND request_id = $2', [
    userId,
    requestId,
  ]);
  return rowCount === 1;
}
