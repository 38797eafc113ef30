import { ApiError } from '../../../base/errors';
import { describeError, log } from '../../../base/log';
import { findCandidate } from '../candidates';
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
  const results = firstOfEach(readResults(job, candidate, await readLines(job.id), upstreamId), job);
  const first = await results.next().catch((cause: unknown) => {
    throw unreadable(cause);
  });
  return new Response(relay(first, results), {
    headers: { 'content-type': 'application/x-jsonl', 'cache-control': 'no-store' },
  });
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

function relay(first: IteratorResult<Result>, results: AsyncGenerator<Result>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<Result> | null = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const result: IteratorResult<Result> = next ?? (await results.next());
          next = null;
          if (result.done) controller.close();
          else controller.enqueue(encoder.encode(result.value.text));
        } catch (error) {
          log().warn({ error: describeError(error) }, 'the results of a batch broke off');
          controller.error(new Error('The provider ended the results early'));
        }
      },
      async cancel() {
        await results.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}
