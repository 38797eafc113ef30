import { setImmediate as letOthersRun } from 'node:timers/promises';
import { now, SECOND_MS } from '../../base/clock';
import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import { randomBase62 } from '../../base/ids';
import { log } from '../../base/log';
import { providerResponses } from '../../base/measures';
import type { LossReason } from '../../ledger';
import type { Exchange, WholeResponse } from '../providers/exchange';
import type { ResponseFacts } from '../providers/metered-usage';
import { prepareExchange } from '../providers/prepare-exchange';
import { FailedResponse, type ProviderFailure, readProviderFailure } from '../providers/provider-failure';
import { requireParsable } from '../providers/response-limits';
import { type Candidate, runsSearches } from './candidates';
import { noteFailure, noteOutage, noteSuccess, userScope } from './circuit-breaker';
import { cutOff } from './cut-off';
import { UNINTERRUPTED } from './likely-usage';
import { type OpenedStream, openStream } from './open-stream';
import { hiddenOutput, type Run } from './run';
import { beginCall, noteFirstChunk } from './trace-call';
import {
  callProvider,
  isConnectionError,
  isUnreachable,
  mayHaveArrived,
  timedOut,
  writeBody,
} from './upstream';
import type { UpstreamResponse } from './upstream-response';

const MEGABYTE = 1024 * 1024;
/** Some providers repeat the whole request in an error. */
const MAX_ERROR_BYTES = 4 * MEGABYTE;
const MAX_WHOLE_BYTES = 64 * MEGABYTE;

type Served = { served: Candidate; exchange: Exchange };
export type ProviderWhole = Served & { whole: WholeResponse };
export type ProviderStream = Served & { stream: OpenedStream };

/** A successful response: complete, or a stream whose first event was not an error. */
export type ProviderResponse = ProviderWhole | ProviderStream;

export type Attempt =
  | { ok: true; response: ProviderResponse }
  /** `loss`: why the provider may bill the call all the same. */
  | {
      ok: false;
      failure: ProviderFailure;
      mayRepeat: boolean;
      hasResponse: boolean;
      loss: LossReason | null;
    };

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
  const estimate = run.estimate(served);
  const exchange = prepareExchange({
    client: run.client,
    provider: profile,
    upstreamModel: model.upstreamModel,
    requestedModel: run.model.id,
    outputCap: Math.min(run.outputCap, model.maxOutputTokens),
    searches: runsSearches(served) ? run.searches : 0,
    reasoning: model.capabilities.reasoning,
    inputUnit: model.prices.inputUnit?.kind,
    maxPrice: { input: Number(model.listPrices.input), output: Number(model.listPrices.output) },
    userHash: run.userHash,
    clientHeaders: run.clientHeaders,
    newId: () => randomBase62(24),
    created: Math.floor(sinceMs / 1000),
    estimate: (outputBytes, isHidden) => estimate(outputBytes, isHidden ? hiddenOutput(run) : UNINTERRUPTED),
    withoutReasoning,
    noteResponse: run.keeper?.note,
  });
  beginCall(run, served, exchange);
  // At once, before another request takes the same place.
  run.occupy(model.provider);
  const body = await writeBody(exchange, run);
  let upstream: UpstreamResponse;
  run.working = { served, exchange, sinceMs };
  run.attempts.push({ model, atMs: sinceMs, outcome: 'interrupted' });
  // Translating thousands of messages takes some 20 ms, and writing them as long.
  if (!run.isSmall) await letOthersRun();
  const timer = run.wantsStream ? undefined : setTimeout(timeOut, firstByteMs(), run);
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
    const loss = timedOut(cause) ? 'timeout' : mayHaveArrived(cause) ? 'connection_lost' : null;
    if (loss === null) run.working = null;
    const mayRepeat = !run.abort.aborted && (run.wantsStream || loss !== 'timeout');
    return { ok: false, failure: unreachable(cause), mayRepeat, hasResponse: false, loss };
  } finally {
    clearTimeout(timer);
  }
  providerResponses.add(model.provider, now() - sinceMs);
  run.call?.set({ 'http.response.status_code': upstream.statusCode });
  if (upstream.statusCode >= 300) return refused(run, served, exchange, upstream);
  noteSuccess(model.provider, userScope(run.hold.userId, model.id));
  return run.wantsStream
    ? openStreamed(run, served, exchange, upstream)
    : readWhole(run, served, exchange, upstream);
}

async function refused(
  run: Run,
  { model }: Candidate,
  exchange: Exchange,
  upstream: UpstreamResponse,
): Promise<Attempt> {
  const { working } = run;
  run.working = null;
  const { statusCode: status, headers } = upstream;
  const body = await upstream.text(MAX_ERROR_BYTES).catch(() => '');
  const failure = readProviderFailure({ status, body, retryAfter: readRetryAfter(headers) });
  const scope = userScope(run.hold.userId, model.id);
  if (status === 401) noteOutage(model.provider);
  else if (status >= 500 || failure.kind === 'account') noteFailure(scope);
  else if (failure.kind !== 'busy') noteSuccess(model.provider, scope);
  const produced = findProduced(exchange, body);
  const loss = produced !== null ? 'failed_response' : GATEWAY_TIMEOUTS.has(status) ? 'timeout' : null;
  if (loss !== null) run.working = working;
  const mayRepeat = run.wantsStream || produced === null;
  return { ok: false, failure: { ...failure, produced }, mayRepeat, hasResponse: true, loss };
}

/** A gateway in front of the provider waited no longer. The provider may be working on the request and will bill it. */
export const GATEWAY_TIMEOUTS = new Set([504, 524]);

/** What a provider reports of a response next to its error. */
function findProduced(exchange: Exchange, body: string): ResponseFacts | null {
  try {
    return exchange.readWhole(requireParsable(body));
  } catch (error) {
    return error instanceof FailedResponse ? error.failure.produced : null;
  }
}

/**
 * Reads the seconds from `retry-after-ms` or from `Retry-After`, which may be a date. Null without either.
 */
export function readRetryAfter(headers: UpstreamResponse['headers']): string | null {
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
    const whole = exchange.readWhole(requireParsable(await upstream.text(MAX_WHOLE_BYTES)));
    return { ok: true, response: { served, exchange, whole } };
  } catch (error) {
    if (error instanceof FailedResponse && error.isRefusal) {
      run.working = null;
      return { ok: false, failure: error.failure, mayRepeat: true, hasResponse: true, loss: null };
    }
    // With status 200, the provider may already bill us for the work.
    if (timedOut(error)) timeOut(run);
    const failure = toFailure(error);
    const loss = lossOf(error, failure);
    return { ok: false, failure, mayRepeat: false, hasResponse: true, loss };
  }
}

async function openStreamed(
  run: Run,
  served: Candidate,
  exchange: Exchange,
  upstream: UpstreamResponse,
): Promise<Attempt> {
  const { 'content-type': type } = upstream.headers;
  const relay = exchange.openStream(typeof type === 'string' ? type : undefined);
  const stream = await openStream(relay, upstream, noteFirstChunk(run));
  const { failure, started } = stream.relay.facts;
  // A failure after the first event is reported inside the stream, because the provider did billable work.
  if (failure === null || started) return { ok: true, response: { served, exchange, stream } };
  const { facts } = stream.relay;
  const produced = facts.usage === null ? null : facts;
  const loss = stream.cutBy() ?? lossOfUnstarted({ ...failure, produced });
  if (loss === null) run.working = null;
  const mayRepeat = !run.abort.aborted;
  return { ok: false, failure: { ...failure, produced }, mayRepeat, hasResponse: true, loss };
}

const firstByteMs = (): number => settings().UPSTREAM_FIRST_BYTE_SECONDS * SECOND_MS;

/** The client waits no longer. The response is still read in the background, because the provider bills it. */
function timeOut(run: Run): void {
  if (run.disconnectedAtMs !== null || run.cutOff !== null) return;
  log().warn({ request_id: run.requestId }, 'the provider did not respond in time');
  const message = 'The provider for this model did not respond in time. Stream long responses.';
  cutOff(run, new ApiError('upstream_error', message));
}

/** A whole response that broke, that is none, or that reports an error after billable work. */
function lossOf(error: unknown, { produced }: ProviderFailure): LossReason {
  if (!(error instanceof ApiError)) return 'connection_lost';
  return produced === null ? 'unreadable_response' : 'failed_response';
}

/** A stream that ended before anything could be read of it. Only one that reports an error costs nothing. */
function lossOfUnstarted({ produced, isReported }: ProviderFailure): LossReason | null {
  if (produced !== null) return 'failed_response';
  return isReported ? null : 'unreadable_response';
}

export function unreachable(cause: unknown): ProviderFailure {
  const error = new ApiError('upstream_error', 'The provider for this model could not be reached', { cause });
  return toFailure(error);
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
    isReported: false,
    violatesGuidelines: false,
    retryAfterSeconds: null,
    produced: thrown instanceof FailedResponse ? thrown.failure.produced : null,
    error,
  };
}
