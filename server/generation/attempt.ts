import { setImmediate as letOthersRun } from 'node:timers/promises';
import { now, SECOND_MS } from '../clock';
import { ApiError } from '../errors';
import { randomBase62 } from '../ids';
import { providerResponses } from '../measures';
import type { Exchange, WholeResponse } from '../providers/exchange';
import { prepareExchange } from '../providers/prepare-exchange';
import { FailedResponse, type ProviderFailure, readProviderFailure } from '../providers/provider-failure';
import { type Candidate, runsSearches } from './candidates';
import { noteFailure, noteSuccess } from './circuit-breaker';
import { hiddenOutput } from './client-disconnect';
import { UNINTERRUPTED } from './likely-usage';
import { type OpenedStream, openStream } from './open-stream';
import type { Run } from './run';
import { beginCall, noteFirstChunk } from './trace-call';
import { callProvider, timedOut, type UpstreamResponse } from './upstream';

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
  const estimate = run.estimate(served);
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
    estimate: (outputBytes, isHidden) => estimate(outputBytes, isHidden ? hiddenOutput(run) : UNINTERRUPTED),
    withoutReasoning,
    noteResponse: run.keeper?.note,
  });
  beginCall(run, served, exchange);
  let upstream: UpstreamResponse;
  run.working = { served, exchange, sinceMs };
  run.attempts.push({ model, atMs: sinceMs, outcome: 'interrupted' });
  run.occupy(model.provider);
  // Translating thousands of messages takes some 20 ms, and writing them as long.
  if (!run.isSmall) await letOthersRun();
  try {
    upstream = await callProvider(target, exchange, run.abort, {
      mayBeSilent: exchange.mayHideOutput(),
      isLarge: run.isLarge,
      isStream: run.wantsStream,
    });
  } catch (cause) {
    if (!run.abort.aborted) noteFailure(model.provider);
    // After a timeout, the provider may still complete the response and bill us for it.
    const mayBill = run.abort.aborted || timedOut(cause);
    if (!mayBill) run.working = null;
    const mayRepeat = !run.abort.aborted && (run.wantsStream || !mayBill);
    return { ok: false, failure: unreachable(cause), mayRepeat, hasResponse: false };
  }
  providerResponses.add(model.provider, now() - sinceMs);
  run.call?.set({ 'http.response.status_code': upstream.statusCode });
  if (upstream.statusCode !== 200) return refused(run, served, upstream);
  noteSuccess(model.provider);
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
  if (failure.kind === 'unavailable' || failure.kind === 'account') noteFailure(model.provider);
  else if (failure.kind !== 'busy') noteSuccess(model.provider);
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
    if (error instanceof FailedResponse && error.isRefusal) {
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
  const { facts } = stream.relay;
  const produced = facts.usage === null ? null : facts;
  return { ok: false, failure: { ...failure, produced }, mayRepeat: !run.abort.aborted, hasResponse: true };
}

function unreachable(cause: unknown): ProviderFailure {
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
    violatesGuidelines: false,
    retryAfterSeconds: null,
    produced: thrown instanceof FailedResponse ? thrown.failure.produced : null,
    error,
  };
}
