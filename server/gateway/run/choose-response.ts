import { now, SECOND_MS } from '../../base/clock';
import { ApiError, overloaded } from '../../base/errors';
import { describeError, log } from '../../base/log';
import { providerAttempts } from '../../base/measures';
import { countProviderFailure } from '../counts/provider-failures';
import { countProviderCall } from '../counts/status-counts';
import type { ProviderFailure } from '../providers/provider-failure';
import { type Attempt, attempt, type ProviderResponse } from './attempt';
import type { Candidate } from './candidates';
import { cooldownSeconds, userScope } from './circuit-breaker';
import { isFull } from './provider-share';
import type { NotedAttempt, Run } from './run';
import { noteLoss } from './settle-run';
import { endCall } from './trace-call';

const MAX_ATTEMPTS = 3;
const MAX_TIME_MS = 30 * SECOND_MS;
const MAX_WAIT_SECONDS = 5;
const FIRST_BACKOFF_MS = 500;

/**
 * Tries the candidates in order until one responds, each a second time where a retry may help. All of this
 * happens before the first byte is sent to the client. The user pays only for the chosen response.
 */
export async function chooseResponse(run: Run): Promise<ProviderResponse> {
  const startedAt = now();
  let attempts = 0;
  let withoutReasoning = false;
  let last: ProviderFailure | null = null;
  let shortestCooldown = Number.POSITIVE_INFINITY;
  let wasFull = false;

  for (const candidate of run.candidates) {
    for (const isRetry of [false, true]) {
      if (hasEnded(run)) break;
      const cooldown = cooldownSeconds(
        candidate.model.provider,
        userScope(run.hold.userId, candidate.model.id),
      );
      if (cooldown > 0) {
        shortestCooldown = Math.min(shortestCooldown, cooldown);
        break;
      }
      if (!isRetry && isFull(candidate)) {
        wasFull = true;
        break;
      }
      const calledAtMs = now();
      const result = await attemptIfAccepted(run, candidate, { withoutReasoning });
      if (result === null) break;
      noteOutcome(run, result);
      const { provider } = candidate.model;
      const outcome = outcomeOf(run, result);
      providerAttempts.add(provider, outcome);
      countProviderCall(provider, outcome, now() - calledAtMs);
      if (result.ok) return result.response;
      attempts++;
      last = result.failure;
      if (last.violatesGuidelines && candidate.profile.refusalFee > 0n) run.refusedBy = candidate;
      // Nobody waits for another attempt, and the one that ended may have to be charged.
      if (run.working !== null) run.working.produced = last.produced;
      if (hasEnded(run)) break;
      if (result.loss !== null && run.working !== null) noteLoss(run, run.working, result.loss);
      run.working = null;
      recordFailure(run, candidate, last);
      const isOver = attempts === MAX_ATTEMPTS || now() - startedAt > MAX_TIME_MS;
      if (isOver || !result.mayRepeat || !mayHelp(last, withoutReasoning)) throw last.error;
      withoutReasoning ||= last.kind === 'reasoning';
      if (isRetry || !isWorthRetrying(last)) break;
      if (last.kind !== 'reasoning') await backOff(run, attempts, last);
    }
  }
  throw last?.error ?? (wasFull ? overloaded() : unavailable(shortestCooldown));
}

/** The client disconnected, the instance stops or the user has stopped the app. */
const hasEnded = ({ disconnectedAtMs, cutOff }: Run): boolean => disconnectedAtMs !== null || cutOff !== null;

/** For the receipt: the outcome of the last attempt. */
function noteOutcome(run: Run, attempt: Attempt): void {
  const last = run.attempts.at(-1);
  if (last !== undefined) last.outcome = attemptOutcome(run, attempt);
}

function attemptOutcome(run: Run, attempt: Attempt): NotedAttempt['outcome'] {
  if (attempt.ok) return 'responded';
  if (hasEnded(run)) return 'interrupted';
  if (!attempt.hasResponse) return 'no_response';
  return attempt.failure.violatesGuidelines ? 'refused' : 'failed';
}

function outcomeOf(run: Run, attempt: Attempt): string {
  if (attempt.ok) return 'ok';
  return hasEnded(run) ? 'disconnected' : attempt.failure.kind;
}

/**
 * Returns null when a fallback cannot accept the request. The client never sees that refusal, because its
 * request is valid for the model it named.
 */
async function attemptIfAccepted(
  run: Run,
  candidate: Candidate,
  options: { withoutReasoning: boolean },
): Promise<Attempt | null> {
  try {
    const result = await attempt(run, candidate, options);
    endCall(run, result);
    return result;
  } catch (error) {
    run.call?.end();
    const isRefusal = error instanceof ApiError && error.code === 'invalid_request';
    if (isRefusal && candidate.model.id !== run.model.id) return null;
    throw error;
  }
}

/** Whether another attempt, at this candidate or the next, can succeed. */
function mayHelp({ kind }: ProviderFailure, withoutReasoning: boolean): boolean {
  return kind !== 'request' && !(kind === 'reasoning' && withoutReasoning);
}

/**
 * A failure of our account or of the model would repeat immediately, and a long wait is not worth it either.
 */
function isWorthRetrying(failure: ProviderFailure): boolean {
  if (failure.kind === 'reasoning') return true;
  return failure.kind !== 'account' && failure.kind !== 'model' && waitSeconds(failure) <= MAX_WAIT_SECONDS;
}

const waitSeconds = ({ retryAfterSeconds }: ProviderFailure): number => retryAfterSeconds ?? 0;

/**
 * Waits before a retry. The wait doubles with each attempt, with jitter, so that clients that failed together
 * do not retry together.
 */
function backOff({ abort }: Run, attempts: number, failure: ProviderFailure): Promise<void> {
  const jitter = 0.5 + Math.random() / 2;
  const backoffMs = FIRST_BACKOFF_MS * 2 ** (attempts - 1) * jitter;
  return abort.waitFor(Math.max(waitSeconds(failure) * SECOND_MS, backoffMs));
}

function recordFailure({ requestId }: Run, { model }: Candidate, failure: ProviderFailure): void {
  const { provider } = model;
  const { kind, status, error } = failure;
  countProviderFailure({ provider, kind, status });
  const level = kind === 'account' ? 'error' : 'warn';
  log()[level](
    { request_id: requestId, provider, kind, status, cause: describeError(error.cause) },
    'provider failed',
  );
}

function unavailable(retryAfterSeconds: number): ApiError {
  return new ApiError('upstream_error', 'The provider for this model is currently unavailable', {
    retryAfterSeconds: Math.min(60, retryAfterSeconds),
  });
}
