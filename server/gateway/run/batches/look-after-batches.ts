import { now, SECOND_MS } from '../../../base/clock';
import { describeError, log } from '../../../base/log';
import {
  batchPath,
  cancelPath,
  findInList,
  listPath,
  readBatch,
  readBatchError,
  type SeenBatch,
} from '../../providers/batches';
import { Abort } from '../abort';
import { type Candidate, findCandidate } from '../candidates';
import { readJob, startJob } from '../upstream';
import type { UpstreamResponse } from '../upstream-response';
import { addUnseen, countLine, endWithoutResults, endWithResults, newTally } from './end-batch';
import { claimDueJobs, type JobRow, lookLater, noteCreated, readLines, requestIdOf } from './job-store';
import { readResults } from './read-results';

const AT_ONCE = 4;
const MAX_BYTES = 4 * 1024 * 1024;
const TIMEOUTS = { startMs: 15 * SECOND_MS, idleMs: 10 * SECOND_MS };
const MAX_MS = 30 * SECOND_MS;
/** A hundred batches each. */
const MAX_PAGES = 100;

const UNCONFIRMED = 'The service could not confirm that the provider accepted the batch.';
const LATE = 'The provider for this model did not complete the batch in time.';

/** Asks providers how far their batches are, and settles those that ended. Every instance does, each for other jobs. */
export async function lookAfterBatches(stop?: AbortSignal): Promise<void> {
  const jobs = await claimDueJobs(AT_ONCE);
  await Promise.all(
    jobs.map((job) =>
      lookAt(job, stop).catch(async (failure: unknown) => {
        log().error(
          { request_id: requestIdOf(job.id), error: describeError(failure) },
          'batch not settled, retrying',
        );
        await lookLater(job);
      }),
    ),
  );
}

async function lookAt(job: JobRow, stop: AbortSignal | undefined): Promise<void> {
  const isLate = now() >= job.complete_by.getTime();
  const candidate = findCandidate(job.model);
  if (job.upstream_id === null) return lookForUnconfirmed(job, candidate, isLate, stop);
  const seen = candidate === null ? null : await readState(job, candidate, job.upstream_id, stop);
  if (candidate !== null && seen !== null && seen.batch.state !== 'running') {
    try {
      return await endSeen(job, candidate, seen.text, seen.batch);
    } catch (failure) {
      if (!isLate) throw failure;
    }
  }
  if (isLate) return endWithoutResults(job, { message: LATE, loss: 'timeout' });
  if (candidate !== null && job.cancelled_at !== null)
    await call(
      (abort) =>
        startJob(
          candidate.target,
          { path: cancelPath(job.format, job.upstream_id ?? ''), headers: CANCEL_HEADERS[job.format] },
          '',
          abort,
          TIMEOUTS,
        ),
      stop,
    );
  return lookLater(job, seen?.batch);
}

const CANCEL_HEADERS = { openai: {}, anthropic: { 'anthropic-version': '2023-06-01' } } as const;

/**
 * The request for a batch has no answer that anyone noted. OpenAI is asked for a batch with the id of the job; without
 * uploaded lines there is none. What Anthropic may have made of it, nobody can tell.
 */
async function lookForUnconfirmed(
  job: JobRow,
  candidate: Candidate | null,
  isLate: boolean,
  stop: AbortSignal | undefined,
): Promise<void> {
  if (job.format === 'anthropic')
    return endWithoutResults(job, { message: UNCONFIRMED, loss: 'instance_died' });
  if (job.upload_id === null) return endWithoutResults(job, { message: UNCONFIRMED, loss: null });
  const found = candidate === null ? 'unknown' : await findCreated(job, candidate, stop);
  if (found === null) return endWithoutResults(job, { message: UNCONFIRMED, loss: null });
  if (found !== 'unknown') return void (await noteCreated(job.id, found));
  if (isLate) return endWithoutResults(job, { message: UNCONFIRMED, loss: 'instance_died' });
  return lookLater(job);
}

/** Null if the provider has no batch for the job, `unknown` if it does not say. */
async function findCreated(
  job: JobRow,
  { target }: Candidate,
  stop: AbortSignal | undefined,
): Promise<string | null> {
  const sinceSeconds = job.created_at.getTime() / SECOND_MS - 3_600;
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const path: string = listPath(after);
    const text = await call((abort) => readJob(target, path, abort, TIMEOUTS), stop);
    const list = text === null ? null : findInList(text, job.id, sinceSeconds);
    if (list === null) return 'unknown';
    if (list.found !== null || list.next === null) return list.found;
    after = list.next;
  }
  return 'unknown';
}

/** Null if the provider does not say how far the job is. */
async function readState(
  { format }: JobRow,
  { target }: Candidate,
  upstreamId: string,
  stop: AbortSignal | undefined,
): Promise<{ batch: SeenBatch; text: string } | null> {
  const text = await call((abort) => readJob(target, batchPath(format, upstreamId), abort, TIMEOUTS), stop);
  const batch = text === null ? null : readBatch(format, text, upstreamId);
  return text === null || batch === null ? null : { batch, text };
}

async function call(
  start: (abort: Abort) => Promise<UpstreamResponse>,
  stop: AbortSignal | undefined,
): Promise<string | null> {
  const abort = new Abort();
  const end = () => abort.abort();
  const timer = setTimeout(end, MAX_MS);
  stop?.addEventListener('abort', end);
  try {
    const response = await start(abort);
    const text = await response.text(MAX_BYTES);
    return response.statusCode < 300 ? text : null;
  } catch (failure) {
    log().warn({ error: describeError(failure) }, 'the state of a batch could not be read');
    return null;
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}

/** Of PostgreSQL. */
const MAX_INTEGER = 2 ** 31 - 1;

type Over = SeenBatch & { state: Exclude<SeenBatch['state'], 'running'> };

async function endSeen(job: JobRow, candidate: Candidate, text: string, seen: Over): Promise<void> {
  if (seen.state === 'failed') {
    const loss = seen.completed > 0 ? 'failed_response' : null;
    return endWithoutResults(job, { message: readBatchError(text), loss });
  }
  const { state, outputId, errorId } = seen;
  const lines = await readLines(job.id);
  const tally = newTally(job);
  const bytes = { output: 0, error: 0 };
  for (const [where, id] of [
    ['output', outputId],
    ['error', errorId],
  ] as const) {
    if (id === null) continue;
    for await (const result of readResults(job, candidate, lines, id)) {
      if (countLine(tally, result, candidate.model.prices)) bytes[where] += Buffer.byteLength(result.text);
    }
  }
  addUnseen(tally, seen.completed, lines);
  await endWithResults(job, tally, {
    state,
    output_id: outputId,
    output_bytes: Math.min(bytes.output, MAX_INTEGER),
    error_id: errorId,
    error_bytes: Math.min(bytes.error, MAX_INTEGER),
  });
}
