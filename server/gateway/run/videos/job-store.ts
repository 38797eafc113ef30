import type pg from 'pg';
import { DAY_MS, MINUTE_MS, now, nowDate, SECOND_MS } from '../../../base/clock';
import type { Microcredits } from '../../../base/credits';
import type { RuleSet } from '../../../base/data-rules';
import { deleteInSteps, pool } from '../../../base/db';
import { openSealed, seal } from '../../../base/seal';
import type { KeptReader } from '../kept-store';
import { ofReader, readableRows } from '../reader-rows';

/** The rows of jobs that make videos. */

/** The provider has accepted a job within this time, or never. Longer than its request may take. */
const ACCEPTED_WITHIN_MS = 3 * MINUTE_MS;
/** Longer than reading its state may take: then another instance may. */
const CLAIMED_MS = MINUTE_MS;
/** xAI makes a video in minutes. */
export const COMPLETE_WITHIN_MS = 30 * MINUTE_MS;
/** A job that ended is remembered for this long. */
export const VIDEOS_KEPT_MS = DAY_MS;

const FIRST_LOOK_MS = 2 * SECOND_MS;
const MAX_PAUSE_MS = 15 * SECOND_MS;

/** The request, the transaction and the job have one id, but for the prefix. */
export const jobIdOf = (requestId: string): string => requestId.replace(/^req_/, 'video_');
export const requestIdOf = (jobId: string): string => jobId.replace(/^video_/, 'req_');

export type JobRow = {
  id: string;
  user_id: string;
  partner_id: string;
  key_id: string;
  model: string;
  price_version: string;
  rate_bp: number;
  data_rules: RuleSet | null;
  seconds: number;
  size: string;
  input_images: number;
  /** The most that the provider may bill. */
  most_cost: Microcredits;
  upstream_id: string | null;
  state: 'running' | 'completed' | 'failed';
  progress: number;
  error_code: string | null;
  error_message: string | null;
  url: Buffer | null;
  created_at: Date;
  complete_by: Date;
  ended_at: Date | null;
  expires_at: Date;
};

export type NewJob = Pick<
  JobRow,
  | 'id'
  | 'user_id'
  | 'partner_id'
  | 'key_id'
  | 'model'
  | 'price_version'
  | 'rate_bp'
  | 'data_rules'
  | 'seconds'
  | 'size'
  | 'input_images'
  | 'most_cost'
>;

export async function insertJob(client: pg.PoolClient, job: NewJob): Promise<JobRow> {
  const row = {
    ...job,
    created_at: nowDate(),
    next_look_at: new Date(now() + ACCEPTED_WITHIN_MS),
    complete_by: new Date(now() + COMPLETE_WITHIN_MS),
    expires_at: new Date(now() + COMPLETE_WITHIN_MS + VIDEOS_KEPT_MS),
  };
  const names = Object.keys(row);
  const { rows } = await client.query<JobRow>(
    `INSERT INTO video_job (${names}) VALUES (${names.map((_, index) => `$${index + 1}`)}) RETURNING *`,
    Object.values(row),
  );
  return rows[0] as JobRow;
}

/** The provider has accepted the job. */
export async function noteAccepted(jobId: string, upstreamId: string): Promise<void> {
  await pool().query(
    `UPDATE video_job SET upstream_id = $2, next_look_at = $3 WHERE id = $1 AND state = 'running'`,
    [jobId, upstreamId, new Date(now() + FIRST_LOOK_MS)],
  );
}

/** Takes jobs that are due, each for one instance at a time. */
export async function claimDueJobs(limit: number): Promise<JobRow[]> {
  const { rows } = await pool().query<JobRow>(
    `UPDATE video_job SET next_look_at = $2 WHERE id IN (
       SELECT id FROM video_job WHERE state = 'running' AND next_look_at <= $1
       ORDER BY next_look_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    [nowDate(), new Date(now() + CLAIMED_MS), limit],
  );
  return rows;
}

/** The longer a job runs, the less often it is read. */
export async function lookLater({ id, created_at }: JobRow, progress: number): Promise<void> {
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_LOOK_MS, (now() - created_at.getTime()) / 10));
  await pool().query(
    `UPDATE video_job SET next_look_at = $2, progress = greatest(progress, $3) WHERE id = $1 AND state = 'running'`,
    [id, new Date(now() + pauseMs), progress],
  );
}

export type JobError = { code: string; message: string };

/** Ends a job once, within the transaction that settles it. Null for the error of one that completed. */
export async function endJobRow(
  client: pg.PoolClient,
  id: string,
  { url, error }: { url: string | null; error: JobError | null },
): Promise<boolean> {
  const sealed = url === null ? null : seal(url, boundTo(id));
  const { rowCount } = await client.query(
    `UPDATE video_job SET state = CASE WHEN $2::text IS NULL THEN 'completed' ELSE 'failed' END,
       error_code = $2, error_message = $3, progress = CASE WHEN $2::text IS NULL THEN 100 ELSE progress END,
       url = CASE WHEN deleted_at IS NULL THEN $4::bytea END, ended_at = $5, expires_at = $6
     WHERE id = $1 AND state = 'running'`,
    [id, error?.code ?? null, error?.message ?? null, sealed, nowDate(), new Date(now() + VIDEOS_KEPT_MS)],
  );
  return rowCount === 1;
}

const boundTo = (id: string): string => `video_job:url:${id}`;

/** A job as its owner reads it: `charge` is null if nothing was charged. */
export type ReadRow = JobRow & { charge: bigint | null };

const OWN = `${readableRows('j')} AND j.deleted_at IS NULL`;
const READ = `SELECT j.*, -t.credits AS charge FROM video_job j
  LEFT JOIN ledger_transaction t ON t.user_id = j.user_id AND t.id = 'txn_' || substr(j.id, 7)
  WHERE ${OWN}`;

export async function findJob(reader: KeptReader, id: string): Promise<ReadRow | null> {
  const { rows } = await pool().query<ReadRow>(`${READ} AND j.id = $5`, [...ofReader(reader), id]);
  return rows[0] ?? null;
}

export const openUrl = ({ id, url }: JobRow): string | null =>
  url === null ? null : openSealed(url, boundTo(id));

/** A page of jobs, and one more if there are more. Ids are in the order of time. */
export async function listJobs(
  reader: KeptReader,
  { after, limit, order }: { after?: string | undefined; limit: number; order: 'asc' | 'desc' },
): Promise<ReadRow[]> {
  const isBehind = order === 'asc' ? '>' : '<';
  const { rows } = await pool().query<ReadRow>(
    `${READ} AND ($5::text IS NULL OR j.id ${isBehind} $5 COLLATE "C") ORDER BY j.id COLLATE "C" ${order} LIMIT $6`,
    [...ofReader(reader), after ?? null, limit + 1],
  );
  return rows;
}

/** Nobody reads it from here on. One that runs is still settled when it ends. */
export async function deleteJob(reader: KeptReader, id: string): Promise<boolean> {
  const { rowCount } = await pool().query(
    `UPDATE video_job j SET deleted_at = $4, url = NULL WHERE ${OWN} AND j.id = $5`,
    [...ofReader(reader), id],
  );
  return rowCount === 1;
}

/** Deletes jobs that have ended and are past their retention. */
export async function forgetVideos(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM video_job WHERE id IN (
       SELECT id FROM video_job WHERE (expires_at <= $1 OR deleted_at <= $1) AND state <> 'running' LIMIT $2)`,
    nowDate(),
  );
}
