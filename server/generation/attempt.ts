import { setImmediate as letOthersRun } from 'node:timers/promises';
import { now, SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { randomBase62 } from '../ids';
import { providerResponses } from '../measures';
import type { Exchange, WholeResponse } from '../providers/exchange';
import { prepareExchange } from '../providers/prepare-exchange';
import { type ProviderFailure, RefusedResponse, readProviderFailure } from '../providers/provider-failure';
import { type Candidate, runsSearches } from './candidates';
import { noteFailure, noteOutage, noteSuccess, userScope } from './circuit-breaker';
import { type OpenedStream, openStream } from './open-stream';
import type { Run } from './run';
import { beginCall, noteFirstChunk } from './trace-call';
import {
  callProvider,
  isConnectionError,
  isUnreachable,
  timedOut,
  type UpstreamResponse,
  writeBody,
} from './upstream';

type Served = { served: Candidate; exchange: Exchange };
export type ProviderWhole = Served & { whole: WholeResponse };
export type ProviderStream = Served & { stream: OpenedStream };

/** A successful response: complete, or a stream whose first event was not an error. */
export type ProviderResponse = ProviderWhole | ProviderStream;

export type Attempt =
  | { ok: true; response: ProviderResponse }
  | { ok: false; failure: ProviderFailure; mayRepeat: boolean; hasResponse: boolean };

/**
 * Calls one candidate once. `mayRepeat` means that the provider did no billable work, so a retry is not
 * billed twice.
 */
export async function attempt(
  run: Run,
  served: Candidate,
  { withoutReasoning }: { withoutReasoning: boolean },
): Promise<Attempt> {
  const { model, target, profile } = served;
  const sinceMs = now();
  const exchange = prepareExchange({
    client: run.client,
    provider: profile,
    upstreamModel: model.upstreamModel,
    requestedModel: run.model.id,
    outputCap: Math.min(run.outputCap, model.maxOutputTokens),
    searches: runsSearches(served) ? run.searches : 0,
    reasoning: model.capabilities.reasoning,
    maxPrice: { input: Number(model.listPrices.input), output: Number(model.listPrices.output) },
    userHash: run.userHash,
    clientHeaders: run.clientHeaders,
    newId: () => randomBase62(24),
    created: Math.floor(sinceMs / 1000),
    estimate: run.estimate(served),
    withoutReasoning,
    noteResponse: run.keeper?.note,
  });
  beginCall(run, served, exchange);
  const body = await writeBody(exchange.body, run.isLarge);
  let upstream: UpstreamResponse;
  run.working = { served, exchange, sinceMs };
  run.attempts.push({ model, atMs: sinceMs, outcome: 'interrupted' });
  run.occupy(model.provider);
  // Translating thousands of messages takes some 20 ms, and writing them as long.
  if (!run.isSmall) await letOthersRun();
  try {
    upstream = await callProvider(target, exchange, body, run.abort, {
      mayBeSilent: exchange.mayHideOutput(),
      isStream: run.wantsStream,
    });
  } catch (cause) {
    if (!run.abort.aborted && !isConnectionError(cause)) {
      run.working = null;
      throw cause;
    }
    if (isUnreachable(cause)) noteOutage(model.provider);
    else if (!run.abort.aborted) noteFailure(userScope(run.hold.userId, model.id));
    // After a timeout, the provider may still complete the response and bill us for it.
    const mayBill = run.abort.aborted || timedOut(cause);
    if (!mayBill) run.working = null;
    const mayRepeat = !run.abort.aborted && (run.wantsStream || !mayBill);
    return { ok: false, failure: unreachable(cause), mayRepeat, hasResponse: false };
  }
  providerResponses.add(model.provider, now() - sinceMs);
  run.call?.set({ 'http.response.status_code': upstream.statusCode });
  if (upstream.statusCode !== 200) return refused(run, served, upstream);
  noteSuccess(model.provider, userScope(run.hold.userId, model.id));
  return run.wantsStream
    ? openStreamed(run, served, exchange, upstream)
    : readWhole(run, served, exchange, upstream);
}

async function refused(run: Run, { model }: Candidate, upstream: UpstreamResponse): Promise<Attempt> {
  run.working = null;
  const failure = readProviderFailure({
    status: upstream.statusCode,
    body: await upstream.body.text().catch(() => ''),
    retryAfter: readRetryAfter(upstream.headers),
  });
  const scope = userScope(run.hold.userId, model.id);
  if (upstream.statusCode === 401) noteOutage(model.provider);
  else if (upstream.statusCode >= 500 || failure.kind === 'account') noteFailure(scope);
  else if (failure.kind !== 'busy') noteSuccess(model.provider, scope);
  return { ok: false, failure, mayRepeat: true, hasResponse: true };
}

/**
 * Reads the seconds from `retry-after-ms` or from `Retry-After`, which may be a date. Null without either.
 */
function readRetryAfter(headers: UpstreamResponse['headers']): string | null {
  const { 'retry-after-ms': ms, 'retry-after': after } = headers;
  if (typeof ms === 'string' && Number(ms) > 0) return String(Number(ms) / SECOND_MS);
  if (typeof after !== 'string') return null;
  const dateMs = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(dateMs) ? after : String(Math.max(0, Math.ceil((dateMs - now()) / SECOND_MS)));
}

async function readWhole(
  run: Run,
  served: Candidate,
  exchange: Exchange,
  upstream: UpstreamResponse,
): Promise<Attempt> {
  try {
    const whole = exchange.readWhole(await upstream.body.text());
    return { ok: true, response: { served, exchange, whole } };
  } catch (error) {
    if (error instanceof RefusedResponse) {
      run.working = null;
      return { ok: false, failure: error.failure, mayRepeat: true, hasResponse: true };
    }
    // With status 200, the provider may already bill us for the work.
    return { ok: false, failure: toFailure(error), mayRepeat: false, hasResponse: true };
  }
}

async function openStreamed(
  run: Run,
  served: Candidate,
  exchange: Exchange,
  upstream: UpstreamResponse,
): Promise<Attempt> {
  const stream = await openStream(exchange.openStream(), upstream, noteFirstChunk(run));
  const { failure, started } = stream.relay.facts;
  // A failure after the first event is reported inside the stream, because the provider did billable work.
  if (failure === null || started) return { ok: true, response: { served, exchange, stream } };
  if (!stream.wasCut()) run.working = null;
  return { ok: false, failure, mayRepeat: !run.abort.aborted, hasResponse: true };
}

function unreachable(cause: unknown): ProviderFailure {
  const error = new ApiError('upstream_error', 'The provider for this model could not be reached', { cause });
  return { kind: 'unavailable', status: 502, violatesGuidelines: false, retryAfterSeconds: null, error };
}

function toFailure(thrown: unknown): ProviderFailure {
  const error =
    thrown instanceof ApiError
      ? thrown
      : new ApiError('upstream_error', 'The provider for this model ended the response early', {
          cause: thrown,
        });
  return {
    kind: 'unavailable',
    status: error.status,
    violatesGuidelines: false,
    retryAfterSeconds: null,
    error,
  };
}
