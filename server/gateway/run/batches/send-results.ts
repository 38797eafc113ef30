import { ApiError, overloaded } from '../../../base/errors';
import { describeError, log } from '../../../base/log';
import { Abort } from '../abort';
import { findCandidate } from '../candidates';
import { tooManyRunning } from '../refusals';
import { type JobRow, type ReadRow, readLines } from './job-store';
import { NoResults, type Result, readResults } from './read-results';

/** Sends the results of a batch as its provider has them, line by line and at the pace of the client. */

/** The file of a batch has the id of its job, but for the prefix. */
const PREFIXES = { output: 'file_out_', error: 'file_err_' } as const;
export type ResultFile = keyof typeof PREFIXES;
const RESULT_FILE = /^file_(out|err)_(\w{1,60})$/;

export const resultFileId = (jobId: string, which: ResultFile): string =>
  jobId.replace(/^batch_/, PREFIXES[which]);

/** Null for a file that a user uploaded. */
export function readResultFileId(id: string): { jobId: string; which: ResultFile } | null {
  const [, kind, rest] = RESULT_FILE.exec(id) ?? [];
  return rest === undefined ? null : { jobId: `batch_${rest}`, which: kind === 'out' ? 'output' : 'error' };
}

export async function sendResults(job: ReadRow, which: ResultFile): Promise<Response> {
  const upstreamId = which === 'output' ? job.output_id : job.error_id;
  const candidate = findCandidate(job.model);
  if (job.state === 'running')
    throw new ApiError('not_found', 'This batch has no results yet. Read its status until it has ended.');
  if (upstreamId === null || candidate === null)
    throw new ApiError('not_found', 'This batch has no results.');
  const headers = { 'content-type': 'application/x-jsonl', 'cache-control': 'no-store' };
  const abort = beginDownload(job);
  try {
    const lines = await readLines(job.id);
    const results = firstOfEach(readResults(job, candidate, lines, upstreamId, abort), job);
    return new Response(relay(await results.next(), results, abort), { headers });
  } catch (cause) {
    abort.abort();
    throw unreadable(cause);
  }
}

/** Each holds a connection to the provider and the lines of its batch for as long as its client reads. */
const downloads = new Map<string, number>();
const MAX_DOWNLOADS = 32;
const MAX_DOWNLOADS_PER_USER = 4;

/** Its end is `abort`. */
function beginDownload({ user_id: userId }: JobRow): Abort {
  const running = downloads.get(userId) ?? 0;
  if (running >= MAX_DOWNLOADS_PER_USER) throw tooManyRunning();
  if ([...downloads.values()].reduce((sum, count) => sum + count, 0) >= MAX_DOWNLOADS) throw overloaded();
  downloads.set(userId, running + 1);
  const abort = new Abort();
  abort.once('abort', () => {
    const rest = (downloads.get(userId) ?? 0) - 1;
    if (rest > 0) downloads.set(userId, rest);
    else downloads.delete(userId);
  });
  return abort;
}

/** As they were counted. */
async function* firstOfEach(results: AsyncGenerator<Result>, { line_count }: JobRow): AsyncGenerator<Result> {
  const seen = new Uint8Array(line_count);
  for await (const result of results) {
    if (seen[result.index] !== 0) continue;
    seen[result.index] = 1;
    yield result;
  }
}

/** Statuses of results that no longer exist. */
const GONE = new Set([403, 404, 410]);

const unreadable = (cause: unknown): ApiError =>
  cause instanceof NoResults && GONE.has(cause.status)
    ? new ApiError('not_found', 'The provider of this batch no longer has its results.')
    : new ApiError('upstream_error', 'The provider did not send the results. Please retry.', { cause });

function relay(
  first: IteratorResult<Result>,
  results: AsyncGenerator<Result>,
  abort: Abort,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<Result> | null = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const result: IteratorResult<Result> = next ?? (await results.next());
          next = null;
          if (!result.done) return controller.enqueue(encoder.encode(result.value.text));
          abort.abort();
          controller.close();
        } catch (error) {
          abort.abort();
          log().warn({ error: describeError(error) }, 'the results of a batch broke off');
          controller.error(new Error('The provider ended the results early'));
        }
      },
      cancel: () => abort.abort(),
    },
    { highWaterMark: 1 },
  );
}
