import { setImmediate as letOthersRun } from 'node:timers/promises';
import { MINUTE_MS, now, SECOND_MS } from '../../../base/clock';
import type { Picocredits } from '../../../base/credits';
import { randomBase62 } from '../../../base/ids';
import { ordinaryIdOf } from '../../pricing/batch-models';
import { costOf } from '../../pricing/cost';
import type { ClientRequest } from '../../protocols/client-protocols';
import { likelyOutputTokens } from '../../protocols/measure-size';
import { type Json, NO_TOKENS, type TokenUsage } from '../../protocols/neutral';
import { asArray, asObject, parseObject } from '../../protocols/read-fields';
import { readResultLine, resultsPath, writeResultLine } from '../../providers/batches';
import type { Exchange } from '../../providers/exchange';
import { tokenKindOf } from '../../providers/formats';
import { meteredUsage } from '../../providers/metered-usage';
import { prepareExchange } from '../../providers/prepare-exchange';
import { FailedResponse } from '../../providers/provider-failure';
import { Abort } from '../abort';
import type { Candidate } from '../candidates';
import { readJob } from '../upstream';
import type { UpstreamResponse } from '../upstream-response';
import type { JobRow, Line } from './job-store';
import { type BatchEndpoint, FORMAT_OF_ENDPOINT } from './plan-lines';
import { splitLines } from './read-lines';

/** The results of a batch, line by line: for its bill, and for its client. */

/** As the whole response of a request. A longer line is skipped: if it was completed, it is a loss. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const TIMEOUTS = { startMs: 30 * SECOND_MS, idleMs: 30 * SECOND_MS };
/** Less than a claim lasts. */
const MAX_MS = 10 * MINUTE_MS;

export type Result = {
  index: number;
  /** The line as the client gets it. */
  text: string;
  /** Null if the line failed, or was not sent. */
  metered: { usage: TokenUsage; estimated: boolean } | null;
  /** What a failed line cost all the same. */
  lost: Picocredits;
};

/** Reads a file of results that a provider has, until `abort`. Fails unless all of it arrives. */
export async function* readResults(
  job: JobRow,
  candidate: Candidate,
  lines: readonly Line[],
  upstreamId: string,
  abort = new Abort(),
): AsyncGenerator<Result> {
  const upstream = await openResults(candidate, job, upstreamId, abort);
  const read = readerOf(job, candidate, lines);
  for await (const bytes of splitLines(piecesOf(upstream), MAX_LINE_BYTES)) {
    const result = bytes === null ? null : read(bytes.toString('utf8'));
    if (result !== null) yield result;
    await letOthersRun();
  }
}

export class NoResults extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the results have the status ${status}`);
    this.status = status;
  }
}

async function openResults(
  { target }: Candidate,
  { format }: JobRow,
  upstreamId: string,
  abort: Abort,
): Promise<UpstreamResponse> {
  const timer = setTimeout(() => abort.abort(), MAX_MS);
  timer.unref();
  const upstream = await readJob(target, resultsPath(format, upstreamId), abort, TIMEOUTS);
  if (upstream.statusCode === 200) return upstream;
  upstream.cancel();
  throw new NoResults(upstream.statusCode);
}

async function* piecesOf(upstream: UpstreamResponse): AsyncGenerator<Buffer> {
  try {
    for (let piece = await upstream.read(); piece !== null; piece = await upstream.read()) yield piece;
  } finally {
    upstream.cancel();
  }
}

/** Null for a line that is none of the batch. */
function readerOf(job: JobRow, candidate: Candidate, lines: readonly Line[]) {
  const suffix = job.id.slice(job.id.indexOf('_') + 1);
  return (text: string): Result | null => {
    const seen = readResultLine(job.format, text);
    const line = seen === null ? undefined : lines[seen.index];
    if (seen === null || line === undefined) return null;
    const { index } = seen;
    const names = { requestId: `req_${suffix}_${index}`, customId: line.customId };
    const write = (result: Parameters<typeof writeResultLine>[2]) =>
      writeResultLine(job.format, names, result);
    if (!('text' in seen)) return { index, text: write(seen), metered: null, lost: 0n as Picocredits };
    const estimate = estimateOf(candidate, line);
    const exchange = exchangeOf(job, candidate, seen.text, estimate);
    try {
      const whole = exchange.readWhole(seen.text);
      const metered = meteredUsage(whole, (isHidden) =>
        estimate(whole.outputBytes, isHidden && exchange.mayHideOutput()),
      );
      return { index, text: write({ body: whole.body }), metered, lost: 0n as Picocredits };
    } catch (error) {
      if (!(error instanceof FailedResponse)) throw error;
      const usage = error.failure.produced?.usage ?? null;
      const failure = {
        status: error.failure.status,
        body: { error: { message: error.failure.error.message } },
      };
      const lost = usage === null ? line.most : costOf(usage, candidate.model.prices);
      const isBilled = usage !== null || !error.failure.isReported;
      return {
        index,
        text: write({ index, failure }),
        metered: null,
        lost: (isBilled ? lost : 0n) as Picocredits,
      };
    }
  };
}

type EstimateLine = (outputBytes: number, isHidden: boolean) => TokenUsage;

/** Of a response without usage: the input as it was held, and the output that was seen. */
const estimateOf =
  (candidate: Candidate, { inputTokens, outputTokens }: Line): EstimateLine =>
  (outputBytes, isHidden) => {
    const seen = Math.min(outputTokens, likelyOutputTokens(outputBytes, tokenKindOf(candidate)));
    return { ...NO_TOKENS, input: inputTokens, output: isHidden ? outputTokens : seen };
  };

/** What reads a response as if it were that of a request: nothing in it depends on the prompt. */
function exchangeOf(
  { endpoint, model: id }: JobRow,
  { model, profile }: Candidate,
  text: string,
  estimate: EstimateLine,
): Exchange {
  const requestedModel = ordinaryIdOf(id);
  return prepareExchange({
    client: {
      format: FORMAT_OF_ENDPOINT[endpoint as BatchEndpoint],
      body: emptyBody(requestedModel, endpoint === '/v1/embeddings' ? text : ''),
    } as ClientRequest,
    provider: profile,
    upstreamModel: model.upstreamModel,
    requestedModel,
    outputCap: 1,
    reasoning: model.capabilities.reasoning,
    clientHeaders: {},
    newId: () => randomBase62(24),
    created: Math.floor(now() / SECOND_MS),
    estimate,
  });
}

/** Vectors stay as the provider wrote them, which is what the line asked for. */
function emptyBody(model: string, response: string): Json {
  const isBase64 = typeof asObject(asArray(parseObject(response)?.data)[0]).embedding === 'string';
  return { model, messages: [], input: [], store: false, encoding_format: isBase64 ? 'base64' : 'float' };
}
