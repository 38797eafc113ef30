import { now, SECOND_MS } from '../../base/clock';
import { describeError, log } from '../../base/log';
import { providerAttempts } from '../../base/measures';
import { type Hold, type LossReason, release } from '../../ledger';
import { countProviderFailure } from '../counts/provider-failures';
import { countProviderCall } from '../counts/status-counts';
import { brokenResponse, type ProviderFailure, readProviderFailure } from '../providers/provider-failure';
import { Abort } from './abort';
import { GATEWAY_TIMEOUTS, readRetryAfter, unreachable } from './attempt';
import type { Candidate } from './candidates';
import { cooldownSeconds, noteFailure, noteOutage, noteSuccess, userScope } from './circuit-breaker';
import { createPlace } from './provider-share';
import { providerUnavailable } from './refusals';
import {
  isConnectionError,
  isUnreachable,
  mayHaveArrived,
  startJob,
  timedOut,
  type UpstreamBody,
  type UpstreamRequest,
} from './upstream';

/** The calls that start a job at a provider. Each is made once: a second one could start a second job. */

const MAX_BYTES = 1024 * 1024;
const TIMEOUTS = { startMs: 60 * SECOND_MS, idleMs: 15 * SECOND_MS };
/** From the request to the end of the response. */
const MAX_MS = 90 * SECOND_MS;

/** `loss`: why the provider may bill it all the same. */
export type Submitted = { upstreamId: string } | { failure: ProviderFailure; loss: LossReason | null };

type Submission = { candidate: Candidate; hold: Hold };

const scopeOf = ({ hold, candidate: { model } }: Submission): string => userScope(hold.userId, model.id);

/** Refuses a job whose provider is in cooldown. */
export async function refuseWithoutProvider(submission: Submission): Promise<void> {
  const seconds = cooldownSeconds(submission.candidate.model.provider, scopeOf(submission));
  if (seconds === 0) return;
  await release(submission.hold);
  throw providerUnavailable(seconds);
}

export async function submitJob(
  submission: Submission,
  request: UpstreamRequest,
  body: UpstreamBody,
  readId: (text: string) => string | null,
): Promise<Submitted> {
  const { provider } = submission.candidate.model;
  const sinceMs = now();
  const submitted = await callOnce(submission, request, body, readId);
  const failure = 'failure' in submitted ? submitted.failure : null;
  const outcome = failure?.kind ?? 'ok';
  providerAttempts.add(provider, outcome);
  countProviderCall(provider, outcome, now() - sinceMs);
  if (failure !== null) {
    countProviderFailure({ provider, kind: failure.kind, status: failure.status });
    log().warn(
      {
        request_id: submission.hold.requestId,
        provider,
        kind: failure.kind,
        cause: describeError(failure.error.cause),
      },
      'provider failed',
    );
  }
  return submitted;
}

async function callOnce(
  submission: Submission,
  request: UpstreamRequest,
  body: UpstreamBody,
  readId: (text: string) => string | null,
): Promise<Submitted> {
  const { provider } = submission.candidate.model;
  const abort = new Abort();
  const occupy = createPlace();
  occupy(provider);
  const timer = setTimeout(() => abort.abort(), MAX_MS);
  try {
    const upstream = await startJob(submission.candidate.target, request, body, abort, TIMEOUTS);
    const { statusCode: status, headers } = upstream;
    const text = await upstream.text(MAX_BYTES);
    if (status >= 300)
      return refused(submission, { status, body: text, retryAfter: readRetryAfter(headers) });
    noteSuccess(provider, scopeOf(submission));
    const upstreamId = readId(text);
    if (upstreamId !== null) return { upstreamId };
    return { failure: brokenResponse('the provider sent no id of the job'), loss: 'unreadable_response' };
  } catch (cause) {
    return broken(submission, cause);
  } finally {
    clearTimeout(timer);
    occupy(null);
  }
}

function refused(submission: Submission, reading: Parameters<typeof readProviderFailure>[0]): Submitted {
  const { provider } = submission.candidate.model;
  const failure = readProviderFailure(reading);
  if (reading.status === 401) noteOutage(provider);
  else if (reading.status >= 500 || failure.kind === 'account') noteFailure(scopeOf(submission));
  else if (failure.kind !== 'busy') noteSuccess(provider, scopeOf(submission));
  return { failure, loss: GATEWAY_TIMEOUTS.has(reading.status) ? 'timeout' : null };
}

function broken(submission: Submission, cause: unknown): Submitted {
  const failure = unreachable(cause);
  if (!isConnectionError(cause)) return { failure, loss: null };
  if (isUnreachable(cause)) noteOutage(submission.candidate.model.provider);
  else noteFailure(scopeOf(submission));
  return { failure, loss: timedOut(cause) ? 'timeout' : mayHaveArrived(cause) ? 'connection_lost' : null };
}
