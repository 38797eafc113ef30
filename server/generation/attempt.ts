import { now, SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { randomBase62 } from '../ids';
import type { CatalogModel } from '../pricing/catalog';
import type { Exchange, WholeAnswer } from '../providers/exchange';
import { prepareExchange } from '../providers/prepare-exchange';
import { type ProviderFailure, RefusedAnswer, readProviderFailure } from '../providers/provider-failure';
import { noteFailure, noteSuccess } from './circuit-breaker';
import { type OpenedStream, openStream } from './open-stream';
import type { Run } from './run';
import { callProvider, profileFor, type UpstreamResponse, wasSilent } from './upstream';

type Chosen = { served: CatalogModel; exchange: Exchange };
export type AnsweredWhole = Chosen & { whole: WholeAnswer };
export type AnsweredStream = Chosen & { stream: OpenedStream };

/** What came back well: a whole answer, or a stream whose first event was good. */
export type Answer = AnsweredWhole | AnsweredStream;

export type Attempt =
  | { ok: true; answer: Answer }
  | { ok: false; failure: ProviderFailure; mayRepeat: boolean };

/** Asks one candidate once. `mayRepeat`: the provider did no work for us, so asking again bills nobody twice. */
export async function attempt(
  run: Run,
  served: CatalogModel,
  { withoutReasoning }: { withoutReasoning: boolean },
): Promise<Attempt> {
  const exchange = prepareExchange({
    client: run.client,
    provider: profileFor(served.provider),
    upstreamModel: served.upstreamModel,
    requestedModel: run.model.id,
    outputCap: Math.min(run.outputCap, served.maxOutputTokens),
    reasoning: served.capabilities.reasoning,
    userHash: run.userHash,
    clientHeaders: run.clientHeaders,
    newId: () => randomBase62(24),
    created: Math.floor(now() / 1000),
    estimate: run.estimate(served),
    withoutReasoning,
  });
  let upstream: UpstreamResponse;
  run.working = served;
  try {
    upstream = await callProvider(served.provider, exchange, run.abort);
  } catch (cause) {
    if (!run.abort.aborted) noteFailure(served.provider);
    // A whole answer that did not come in time may still be on its way to our bill.
    const mayRepeat = !run.abort.aborted && (run.wantsStream || !wasSilent(cause));
    return { ok: false, failure: unreachable(cause), mayRepeat };
  }
  if (upstream.statusCode !== 200) return refused(run, served, upstream);
  noteSuccess(served.provider);
  return run.wantsStream
    ? openStreamed(run, served, exchange, upstream)
    : readWhole(served, exchange, upstream);
}

async function refused(run: Run, served: CatalogModel, upstream: UpstreamResponse): Promise<Attempt> {
  run.working = null;
  const failure = readProviderFailure({
    status: upstream.statusCode,
    body: await upstream.body.text().catch(() => ''),
    retryAfter: readRetryAfter(upstream.headers),
  });
  if (failure.kind === 'unavailable' || failure.kind === 'account') noteFailure(served.provider);
  else if (failure.kind !== 'busy') noteSuccess(served.provider);
  return { ok: false, failure, mayRepeat: true };
}

/** The seconds of `Retry-After`, which may be a date, or of its finer sister; null when there are none. */
function readRetryAfter(headers: UpstreamResponse['headers']): string | null {
  const { 'retry-after-ms': ms, 'retry-after': after } = headers;
  if (typeof ms === 'string' && Number(ms) > 0) return String(Number(ms) / SECOND_MS);
  if (typeof after !== 'string') return null;
  const dateMs = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(dateMs) ? after : String(Math.max(0, Math.ceil((dateMs - now()) / SECOND_MS)));
}

async function readWhole(
  served: CatalogModel,
  exchange: Exchange,
  upstream: UpstreamResponse,
): Promise<Attempt> {
  try {
    return { ok: true, answer: { served, exchange, whole: exchange.readWhole(await upstream.body.text()) } };
  } catch (error) {
    if (error instanceof RefusedAnswer) return { ok: false, failure: error.failure, mayRepeat: true };
    // It answered 200: what it did may be on our bill already.
    return { ok: false, failure: toFailure(error), mayRepeat: false };
  }
}

async function openStreamed(
  run: Run,
  served: CatalogModel,
  exchange: Exchange,
  upstream: UpstreamResponse,
): Promise<Attempt> {
  const stream = await openStream(exchange.openStream(), upstream);
  const { failure, started } = stream.relay.facts;
  // What broke after its first event is told inside the stream: the provider did work.
  if (failure === null || started) return { ok: true, answer: { served, exchange, stream } };
  return { ok: false, failure, mayRepeat: !run.abort.aborted };
}

function unreachable(cause: unknown): ProviderFailure {
  const error = new ApiError('upstream_error', 'The provider of this model could not be reached', { cause });
  return { kind: 'unavailable', status: 502, retryAfterSeconds: null, error };
}

function toFailure(thrown: unknown): ProviderFailure {
  const error =
    thrown instanceof ApiError
      ? thrown
      : new ApiError('upstream_error', 'The provider of this model broke off its answer', { cause: thrown });
  return { kind: 'unavailable', status: error.status, retryAfterSeconds: null, error };
}
