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
import { providerUnavailable } from './refusals';
import type { NotedAttempt, Run } from './run';
import { noteLoss } from './settle-run';
import { endCall } from './trace-call';

const MAX_ATTEMPTS = 3;
const MAX_TIME_MS = 30 * SECOND_MS;
const MAX_WAIT_SECONDS = 5;
const FIRST_BACKOFF_MS = 500;
const MAX_RETRY_SECONDS = 60;

/** What the calls so far have shown. */
type Search = {
  startedAtMs: number;
  attempts: number;
  withoutReasoning: boolean;
  last: ProviderFailure | null;
};

type Outcome =
  | { kind: 'responded'; response: ProviderResponse }
  /** Another attempt may succeed, here or at the next candidate. */
  | { kind: 'failed'; failure: ProviderFailure }
  | Skipped
  /** Another attempt is of no use, or nobody waits for it. */
  | { kind: 'over' };

/** The candidate was not called. */
type Skipped = { kind: 'cooldown'; seconds: number } | { kind: 'full' } | { kind: 'unsuitable' };

const OVER = { kind: 'over' } as const;

/**
 * Tries the candidates in order until one responds. All of this happens before the first byte is sent to the
 * client. The user pays only for the chosen response.
 */
export async function chooseResponse(run: Run): Promise<ProviderResponse> {
  const search: Search = { startedAtMs: now(), attempts: 0, withoutReasoning: false, last: null };
  const skipped: Skipped[] = [];
  for (const candidate of run.candidates) {
    const outcome = await tryTwice(run, candidate, search);
    if (outcome.kind === 'responded') return outcome.response;
    if (outcome.kind === 'over') break;
    if (outcome.kind !== 'failed') skipped.push(outcome);
  }
  throw search.last?.error ?? unavailable(skipped);
}

/** A second time only where a retry may help. */
async function tryTwice(run: Run, candidate: Candidate, search: Search): Promise<Outcome> {
  if (hasEnded(run)) return OVER;
  const seconds = cooldownOf(run, candidate);
  if (seconds > 0) return { kind: 'cooldown', seconds };
  if (isFull(candidate)) return { kind: 'full' };
  const first = await tryOnce(run, candidate, search);
  if (first.kind !== 'failed' || !isWorthRetrying(first.failure)) return first;
  if (first.failure.kind !== 'reasoning') await backOff(run, search.attempts, first.failure);
  if (hasEnded(run)) return OVER;
  return cooldownOf(run, candidate) > 0 ? first : tryOnce(run, candidate, search);
}

async function tryOnce(run: Run, candidate: Candidate, search: Search): Promise<Outcome> {
  const calledAtMs = now();
  const result = await attemptIfAccepted(run, candidate, search);
  if (result === null) return { kind: 'unsuitable' };
  noteOutcome(run, candidate, result, calledAtMs);
  if (result.ok) return { kind: 'responded', response: result.response };
  const { failure, loss, mayRepeat } = result;
  search.attempts++;
  search.last = failure;
  if (failure.violatesGuidelines && candidate.profile.refusalFee > 0n) run.refusedBy = candidate;
  // Nobody waits for another attempt, and the one that ended may have to be charged.
  if (run.working !== null) run.working.produced = failure.produced;
  if (hasEnded(run)) return OVER;
  if (loss !== null && run.working !== null) noteLoss(run, run.working, loss);
  run.working = null;
  recordFailure(run, candidate, failure);
  const isLast = search.attempts === MAX_ATTEMPTS || now() - search.startedAtMs > MAX_TIME_MS;
  if (isLast || !mayRepeat || !mayHelp(failure, search.withoutReasoning)) return OVER;
  search.withoutReasoning ||= failure.kind === 'reasoning';
  return { kind: 'failed', failure };
}

const cooldownOf = ({ hold }: Run, { model }: Candidate): number =>
  cooldownSeconds(model.provider, userScope(hold.userId, model.id));

/** The client disconnected, the instance stops or the user has stopped the app. */
const hasEnded = ({ disconnectedAtMs, cutOff }: Run): boolean => disconnectedAtMs !== null || cutOff !== null;

/** For the receipt and for the metrics. */
function noteOutcome(run: Run, { model }: Candidate, attempt: Attempt, calledAtMs: number): void {
  const last = run.attempts.at(-1);
  if (last !== undefined) last.outcome = attemptOutcome(run, attempt);
  const outcome = outcomeOf(run, attempt);
  providerAttempts.add(model.provider, outcome);
  countProviderCall(model.provider, outcome, now() - calledAtMs);
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

/** No candidate was called. */
function unavailable(skipped: Skipped[]): ApiError {
  if (skipped.some(({ kind }) => kind === 'full')) return overloaded();
  const cooldowns = skipped.map((candidate) =>
    candidate.kind === 'cooldown' ? candidate.seconds : MAX_RETRY_SECONDS,
  );
  return providerUnavailable(Math.min(MAX_RETRY_SECONDS, ...cooldowns));
}
