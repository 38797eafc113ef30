import type pg from 'pg';
import { DAY_MS, HOUR_MS, MINUTE_MS, now, nowDate, SECOND_MS } from '../../../base/clock';
import type { Picocredits } from '../../../base/credits';
import type { RuleSet } from '../../../base/data-rules';
import { deleteInSteps, pool } from '../../../base/db';
import { openSealed, seal } from '../../../base/seal';
import type { BatchFormat, Outcome, SeenBatch } from '../../providers/batches';
import type { KeptReader } from '../kept-store';
import { ofReader, readableRows } from '../reader-rows';

/** The rows of jobs that are batches. */

/** The provider has created a batch within this time, or never. Longer than its request may take. */
const CREATED_WITHIN_MS = 10 * MINUTE_MS;
/** Longer than reading its results may take: then another instance may. */
const CLAIMED_MS = 12 * MINUTE_MS;
/** Providers end a batch after 24 hours. */
export const WINDOW_MS = DAY_MS;
/** Reading its results, or a provider that is late, may take longer. */
export const COMPLETE_WITHIN_MS = WINDOW_MS + HOUR_MS;
/** A batch that ended is remembered, and its results can be read, for this long. */
export const BATCHES_KEPT_MS = 7 * DAY_MS;

const FIRST_LOOK_MS = 2 * SECOND_MS;
const MAX_PAUSE_MS = 2 * MINUTE_MS;

const PREFIXES: Readonly<Record<BatchFormat, string>> = { openai: 'batch_', anthropic: 'msgbatch_' };

/** The request, the transaction, the job and its results have one id, but for the prefix. */
export const jobIdOf = (requestId: string, format: BatchFormat): string =>
  requestId.replace(/^req_/, PREFIXES[format]);
export const requestIdOf = (jobId: string): string => jobId.replace(/^[a-z]+_/, 'req_');

/** What a line is called, and the most that it may have and cost. */
export type Line = { customId: string; inputTokens: number; outputTokens: number; most: Picocredits };

export type JobRow = {
  id: string;
  user_id: string;
  partner_id: string;
  key_id: string;
  format: BatchFormat;
  model: string;
  price_version: string;
  rate_bp: number;
  data_rules: RuleSet | null;
  endpoint: string;
  input_file_id: string | null;
  metadata: Buffer | null;
  line_count: number;
  most_cost: bigint;
  upload_id: string | null;
  upstream_id: string | null;
  state: 'running' | Outcome;
  completed: number;
  failed: number;
  error_message: string | null;
  output_id: string | null;
  output_bytes: number;
  error_id: string | null;
  error_bytes: number;
  created_at: Date;
  cancelled_at: Date | null;
  complete_by: Date;
  ended_at: Date | null;
  expires_at: Date;
};

/** All but `lines`, which `readLines` reads: those of a page of jobs would take a gigabyte. */
const COLUMNS =
  `id user_id partner_id key_id format model price_version rate_bp data_rules endpoint input_file_id metadata
  line_count most_cost upload_id upstream_id state completed failed error_message output_id output_bytes error_id
  error_bytes created_at cancelled_at complete_by ended_at expires_at`
    .split(/\s+/)
    .map((name) => `j.${name}`)
    .join();

type Given = Pick<
  JobRow,
  | 'id'
  | 'user_id'
  | 'partner_id'
  | 'key_id'
  | 'format'
  | 'model'
  | 'price_version'
  | 'rate_bp'
  | 'data_rules'
  | 'endpoint'
  | 'input_file_id'
  | 'most_cost'
>;

export type NewJob = Given & { lines: readonly Line[]; metadata: object | null };

const boundTo = (id: string, what: 'lines' | 'metadata'): string => `batch_job:${what}:${id}`;

export async function insertJob(
  client: pg.PoolClient,
  { lines, metadata, ...given }: NewJob,
): Promise<JobRow> {
  const written = lines.map(({ customId, inputTokens, outputTokens, most }) => [
    customId,
    inputTokens,
    outputTokens,
    String(most),
  ]);
  const row: Record<string, unknown> = {
    ...given,
    lines: seal(JSON.stringify(written), boundTo(given.id, 'lines')),
    line_count: lines.length,
    metadata: metadata && seal(JSON.stringify(metadata), boundTo(given.id, 'metadata')),
    created_at: nowDate(),
    next_look_at: new Date(now() + CREATED_WITHIN_MS),
    complete_by: new Date(now() + COMPLETE_WITHIN_MS),
    expires_at: new Date(now() + COMPLETE_WITHIN_MS + BATCHES_KEPT_MS),
  };
  const names = Object.keys(row);
  const { rows } = await client.query<JobRow>(
    `INSERT INTO batch_job AS j (${names}) VALUES (${names.map((_, index) => `$${index + 1}`)}) RETURNING ${COLUMNS}`,
    Object.values(row),
  );
  return rows[0] as JobRow;
}

/** Up to 8 MB. */
export async function readLines(id: string): Promise<Line[]> {
  const { rows } = await pool().query<{ lines: Buffer }>('SELECT lines FROM batch_job WHERE id = $1', [id]);
  const [row] = rows;
  if (row === undefined) return [];
  const written: [string, number, number, string][] = JSON.parse(openSealed(row.lines, boundTo(id, 'lines')));
  return written.map(([customId, inputTokens, outputTokens, most]) => ({
    customId,
    inputTokens,
    outputTokens,
    most: BigInt(most) as Picocredits,
  }));
}

export const openMetadata = ({ id, metadata }: JobRow): Record<string, string> | null =>
  metadata === null ? null : JSON.parse(openSealed(metadata, boundTo(id, 'metadata')));

/**
 * Notes that the provider has the lines: from now on, a batch of them may exist. Returns false if the job has ended in the
 * meantime; then no batch may be created.
 */
export async function noteUploaded(jobId: string, uploadId: string): Promise<boolean> {
  const { rowCount } = await pool().query(
    `UPDATE batch_job SET upload_id = $2, next_look_at = $3 WHERE id = $1 AND state = 'running'`,
    [jobId, uploadId, new Date(now() + CREATED_WITHIN_MS)],
  );
  return rowCount === 1;
}

export const noteCreated = (jobId: string, upstreamId: string): Promise<unknown> =>
  pool().query(
    `UPDATE batch_job SET upstream_id = $2, next_look_at = $3 WHERE id = $1 AND state = 'running'`,
    [jobId, upstreamId, new Date(now() + FIRST_LOOK_MS)],
  );

/** Takes jobs that are due, each for one instance at a time, and cancels those of apps that their user has stopped. */
export async function claimDueJobs(limit: number): Promise<JobRow[]> {
  const { rows } = await pool().query<JobRow>(
    `UPDATE batch_job j SET next_look_at = $2, cancelled_at = coalesce(j.cancelled_at, CASE WHEN EXISTS (
         SELECT FROM spending_limit l WHERE l.user_id = j.user_id AND l.partner_id IN ('', j.partner_id)
           AND l.stopped_at IS NOT NULL) THEN $1::timestamptz END)
     WHERE id IN (
       SELECT id FROM batch_job WHERE state = 'running' AND next_look_at <= $1
       ORDER BY next_look_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [nowDate(), new Date(now() + CLAIMED_MS), limit],
  );
  return rows;
}

/** The longer a job runs, the less often it is read. */
export async function lookLater(
  { id, created_at }: JobRow,
  { completed, failed }: Pick<SeenBatch, 'completed' | 'failed'> = { completed: 0, failed: 0 },
): Promise<void> {
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_LOOK_MS, (now() - created_at.getTime()) / 20));
  await pool().query(
    `UPDATE batch_job SET next_look_at = $2, completed = greatest(completed, least($3, line_count)),
       failed = greatest(failed, least($4, line_count))
     WHERE id = $1 AND state = 'running'`,
    [id, new Date(now() + pauseMs), completed, failed],
  );
}

export type Ended = Pick<
  JobRow,
  'completed' | 'failed' | 'error_message' | 'output_id' | 'output_bytes' | 'error_id' | 'error_bytes'
> & { state: Outcome };

/** Ends a job once, within the transaction that settles it. */
export async function endJobRow(client: pg.PoolClient, id: string, ended: Ended): Promise<boolean> {
  const names = Object.keys(ended);
  const { rowCount } = await client.query(
    `UPDATE batch_job SET ended_at = $2, expires_at = $3, ${names.map((name, n) => `${name} = $${n + 4}`)}
     WHERE id = $1 AND state = 'running'`,
    [id, nowDate(), new Date(now() + BATCHES_KEPT_MS), ...Object.values(ended)],
  );
  return rowCount === 1;
}

/** A job as its owner reads it: `charge` is null if nothing was charged. */
export type ReadRow = JobRow & { charge: bigint | null };

const OWN = `${readableRows('j')} AND j.deleted_at IS NULL`;
const READ = `SELECT ${COLUMNS}, -t.credits AS charge FROM batch_job j
  LEFT JOIN ledger_transaction t ON t.user_id = j.user_id AND t.id = 'txn_' || split_part(j.id, '_', 2)
  WHERE ${OWN}`;

export async function findJob(reader: KeptReader, id: string): Promise<ReadRow | null> {
  const { rows } = await pool().query<ReadRow>(`${READ} AND j.id = $5`, [...ofReader(reader), id]);
  return rows[0] ?? null;
}

export type Page = {
  format: BatchFormat;
  limit: number;
  after?: string | undefined;
  before?: string | undefined;
};

/** A page of jobs, newest first, and one more if there are more. Ids are in the order of time. */
export async function listJobs(
  reader: KeptReader,
  { format, limit, after, before }: Page,
): Promise<ReadRow[]> {
  const isBackwards = before !== undefined;
  const { rows } = await pool().query<ReadRow>(
    `${READ} AND j.format = $5 AND ($6::text IS NULL OR j.id ${isBackwards ? '>' : '<'} $6 COLLATE "C")
     ORDER BY j.id COLLATE "C" ${isBackwards ? 'ASC' : 'DESC'} LIMIT $7`,
    [...ofReader(reader), format, before ?? after ?? null, limit + 1],
  );
  return rows;
}

/** The next look asks the provider, once. What it has completed by then is charged. */
export async function cancelJob(reader: KeptReader, id: string): Promise<void> {
  await pool().query(
    `UPDATE batch_job j SET cancelled_at = coalesce(j.cancelled_at, $4),
       next_look_at = CASE WHEN j.upstream_id IS NULL OR j.cancelled_at IS NOT NULL THEN j.next_look_at ELSE least(j.next_look_at, $4) END
     WHERE ${OWN} AND j.state = 'running' AND j.id = $5`,
    [...ofReader(reader), id],
  );
}

/** Nobody reads it from here on. False if it still runs. */
export async function deleteJob(reader: KeptReader, id: string): Promise<boolean> {
  const { rowCount } = await pool().query(
    `UPDATE batch_job j SET deleted_at = $4 WHERE ${OWN} AND j.state <> 'running' AND j.id = $5`,
    [...ofReader(reader), id],
  );
  return rowCount === 1;
}

/** Deletes jobs that have ended and are past their retention. */
export async function forgetBatches(): Promise<void> {
  await deleteInSteps(
    `DELETE FROM batch_job WHERE id IN (
       SELECT id FROM batch_job WHERE (expires_at <= $1 OR deleted_at <= $1) AND state <> 'running' LIMIT $2)`,
    nowDate(),
  );
}
