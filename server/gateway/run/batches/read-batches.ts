import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { toUnixSeconds } from '../../../base/clock';
import { dollarsToJson } from '../../../base/credits';
import { settings } from '../../../base/env';
import { ApiError } from '../../../base/errors';
import type { ApiRequest } from '../../../base/http/api-request';
import {
  GENERATION_BODY_BYTES,
  parseWithMetadata,
  readJsonSource,
  readText,
  validate,
} from '../../../base/http/read-body';
import { SMALL_BODY_BYTES } from '../../../base/http/receive-body';
import type { Reply } from '../../../base/http/reply';
import { privateJson } from '../../../base/http/respond';
import { limitNameOf } from '../../../base/rate-limit/key-turns';
import { readBranch } from '../../../people/keys/run-keys';
import {
  type Batch,
  batchesQuerySchema,
  type batchListSchema,
  batchRequestSchema,
  type deletedMessageBatchSchema,
  type MessageBatch,
  messageBatchesQuerySchema,
  type messageBatchListSchema,
} from '../../protocols/batches/schema';
import { refuse } from '../../protocols/read-fields';
import type { BatchFormat } from '../../providers/batches';
import type { KeptReader } from '../kept-store';
import { askFor } from '../stored-responses';
import { findFile, readPieces } from './file-store';
import {
  cancelJob,
  deleteJob,
  findJob,
  type JobRow,
  listJobs,
  openMetadata,
  type Page,
  type ReadRow,
  WINDOW_MS,
} from './job-store';
import { MAX_LIST_VALUES, readRequestItems, readRequestLines } from './read-lines';
import { resultFileId, sendResults } from './send-results';
import { startBatch } from './start-batch';

/** The endpoints of batches, in the formats of OpenAI and Anthropic. */

export const createBatch = (request: ApiRequest, requestId: string): Promise<Reply> =>
  startBatch({
    request,
    requestId,
    format: 'openai',
    describe: (job) => describeBatch({ ...job, charge: null }),
    read: async () => {
      const text = await readText(request, SMALL_BODY_BYTES);
      const asked = validate(batchRequestSchema, parseWithMetadata(text));
      const { input_file_id: inputFileId, endpoint, metadata = null } = asked;
      const bodyHash = createHash('sha256').update(text).digest();
      return {
        bodyHash,
        ask: async (caller) => {
          const { userId, partnerId } = caller;
          const file = await findFile({ userId, partnerId, keyIds: await readBranch(caller) }, inputFileId);
          if (file === null) throw refuse('input_file_id', 'must be the id of an uploaded file');
          const lines = readRequestLines(readPieces(file), endpoint);
          return { format: 'openai', endpoint, inputFileId, metadata, lines };
        },
      };
    },
  });

export const createMessageBatch = (request: ApiRequest, requestId: string): Promise<Reply> =>
  startBatch({
    request,
    requestId,
    format: 'anthropic',
    describe: (job) => describeMessageBatch({ ...job, charge: null }),
    read: async (keyHash) => {
      const digest = createHash('sha256');
      const reading = { key: limitNameOf(keyHash), digest, values: MAX_LIST_VALUES };
      const lines = readRequestItems(await readJsonSource(request, GENERATION_BODY_BYTES, reading));
      const asked = {
        format: 'anthropic',
        endpoint: '/v1/messages',
        inputFileId: null,
        metadata: null,
        lines,
      } as const;
      return { bodyHash: digest.digest(), ask: async () => asked };
    },
  });

const windowEnd = ({ created_at }: JobRow): Date => new Date(created_at.getTime() + WINDOW_MS);

function describeBatch(job: ReadRow): Batch {
  const { state, ended_at: ended, cancelled_at: cancelled } = job;
  const endedIn = (outcome: JobRow['state']) =>
    state === outcome && ended !== null ? toUnixSeconds(ended) : null;
  const isCreated = job.upstream_id !== null;
  const running = cancelled !== null ? 'cancelling' : isCreated ? 'in_progress' : 'validating';
  return {
    id: job.id,
    object: 'batch',
    endpoint: job.endpoint,
    model: job.model,
    errors: job.error_message === null ? null : describeErrors(job.error_message),
    input_file_id: job.input_file_id ?? '',
    completion_window: '24h',
    status: state === 'running' ? running : state,
    output_file_id: job.output_id === null ? null : resultFileId(job.id, 'output'),
    error_file_id: job.error_id === null ? null : resultFileId(job.id, 'error'),
    created_at: toUnixSeconds(job.created_at),
    in_progress_at: isCreated ? toUnixSeconds(job.created_at) : null,
    expires_at: toUnixSeconds(windowEnd(job)),
    finalizing_at: endedIn('completed'),
    completed_at: endedIn('completed'),
    failed_at: endedIn('failed'),
    expired_at: endedIn('expired'),
    cancelling_at: cancelled === null ? null : toUnixSeconds(cancelled),
    cancelled_at: endedIn('cancelled'),
    request_counts: { total: job.line_count, completed: job.completed, failed: job.failed },
    metadata: openMetadata(job),
    usage: usageOf(job),
  };
}

const describeErrors = (message: string): Batch['errors'] => ({
  object: 'list',
  data: [{ code: 'upstream_error', message, line: null, param: null }],
});

const usageOf = ({ state, charge }: ReadRow): Batch['usage'] =>
  state === 'running' ? null : { cost: dollarsToJson(charge ?? 0n) };

/** Lines that were not sent to the model count as what the batch ended with. */
function describeMessageBatch(job: ReadRow): MessageBatch {
  const { state, completed, failed, line_count: total, cancelled_at: cancelled } = job;
  const isRunning = state === 'running';
  const rest = total - completed - failed;
  const results = `${settings().BASE_URL}/v1/messages/batches/${job.id}/results`;
  return {
    id: job.id,
    type: 'message_batch',
    processing_status: !isRunning ? 'ended' : cancelled === null ? 'in_progress' : 'canceling',
    request_counts: {
      processing: isRunning ? rest : 0,
      succeeded: completed,
      errored: state === 'failed' ? total : failed,
      canceled: state === 'cancelled' ? rest : 0,
      expired: state === 'expired' ? rest : 0,
    },
    created_at: job.created_at.toISOString(),
    expires_at: windowEnd(job).toISOString(),
    ended_at: job.ended_at?.toISOString() ?? null,
    cancel_initiated_at: cancelled?.toISOString() ?? null,
    archived_at: null,
    results_url: job.output_id === null ? null : results,
    usage: usageOf(job),
  };
}

const ID = /^(msg)?batch_\w{1,60}$/;

const notFound = (): ApiError =>
  new ApiError(
    'not_found',
    'No batch with this id belongs to this user in this app. Batches are forgotten 7 days after they end.',
  );

async function requireBatch(owner: KeptReader, id: string, format: BatchFormat): Promise<ReadRow> {
  const job = ID.test(id) ? await findJob(owner, id) : null;
  if (job?.format !== format) throw notFound();
  return job;
}

const describe = (job: ReadRow): Batch | MessageBatch =>
  job.format === 'openai' ? describeBatch(job) : describeMessageBatch(job);

export async function sendBatch(request: Request, id: string, format: BatchFormat): Promise<Response> {
  const { owner } = await askFor(request);
  return privateJson(describe(await requireBatch(owner, id, format)));
}

/** What the provider has completed by then is charged. One that has ended stays as it is. */
export async function cancelBatch(request: Request, id: string, format: BatchFormat): Promise<Response> {
  const { owner } = await askFor(request);
  await requireBatch(owner, id, format);
  await cancelJob(owner, id);
  return privateJson(describe(await requireBatch(owner, id, format)));
}

export async function deleteMessageBatch(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  await requireBatch(owner, id, 'anthropic');
  if (!(await deleteJob(owner, id)))
    throw new ApiError('invalid_request', 'This batch still runs. Cancel it, or wait until it ends.');
  return privateJson({ id, type: 'message_batch_deleted' } satisfies z.output<
    typeof deletedMessageBatchSchema
  >);
}

export async function sendMessageResults(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  return sendResults(await requireBatch(owner, id, 'anthropic'), 'output');
}

const queryOf = (request: Request) => Object.fromEntries(new URL(request.url).searchParams);

async function readPage(owner: KeptReader, page: Page): Promise<{ rows: ReadRow[]; hasMore: boolean }> {
  const found = await listJobs(owner, page);
  const rows = found.slice(0, page.limit);
  return { rows: page.before === undefined ? rows : rows.reverse(), hasMore: found.length > page.limit };
}

export async function listBatches(request: Request): Promise<Response> {
  const { owner } = await askFor(request);
  const { limit, after } = validate(batchesQuerySchema, queryOf(request));
  const { rows, hasMore } = await readPage(owner, { format: 'openai', limit, after });
  const data = rows.map(describeBatch);
  return privateJson({ object: 'list', ...edgesOf(data, hasMore) } satisfies z.output<
    typeof batchListSchema
  >);
}

export async function listMessageBatches(request: Request): Promise<Response> {
  const { owner } = await askFor(request);
  const { limit, after_id: after, before_id: before } = validate(messageBatchesQuerySchema, queryOf(request));
  const { rows, hasMore } = await readPage(owner, { format: 'anthropic', limit, after, before });
  const data = rows.map(describeMessageBatch);
  return privateJson(edgesOf(data, hasMore) satisfies z.output<typeof messageBatchListSchema>);
}

export const edgesOf = <Item extends { id: string }>(data: Item[], hasMore: boolean) => ({
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
});
