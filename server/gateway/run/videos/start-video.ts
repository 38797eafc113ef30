import { now, SECOND_MS } from '../../../base/clock';
import { chargeFor } from '../../../base/credits';
import { NO_RULES } from '../../../base/data-rules';
import { invariant, overloaded } from '../../../base/errors';
import type { Reply } from '../../../base/http/reply';
import { describeError, log } from '../../../base/log';
import { providerAttempts } from '../../../base/measures';
import { giveToJob, type LossReason, release, untilCommitted } from '../../../ledger';
import { countProviderFailure } from '../../counts/provider-failures';
import { countProviderCall } from '../../counts/status-counts';
import { countImages, secondsOf, sizeOf } from '../../protocols/videos/protocol';
import type { VideosRequest } from '../../protocols/videos/schema';
import { brokenResponse, type ProviderFailure, readProviderFailure } from '../../providers/provider-failure';
import { readUpstreamId, VIDEOS_PATH, writeVideoRequest } from '../../providers/videos';
import { Abort } from '../abort';
import type { AdmittedJob } from '../admitted-job';
import { GATEWAY_TIMEOUTS, readRetryAfter, unreachable } from '../attempt';
import { cooldownSeconds, noteFailure, noteOutage, noteSuccess, userScope } from '../circuit-breaker';
import { createPlace } from '../provider-share';
import { providerUnavailable } from '../refusals';
import {
  isConnectionError,
  isUnreachable,
  mayHaveArrived,
  startJob,
  timedOut,
  type UpstreamBody,
  writeBody,
} from '../upstream';
import { writeWarnings } from '../warnings';
import { endVideo } from './end-video';
import { COMPLETE_WITHIN_MS, insertJob, jobIdOf, type NewJob, noteAccepted } from './job-store';
import { describeNewVideo } from './read-videos';

const MAX_BYTES = 1024 * 1024;
const TIMEOUTS = { startMs: 60 * SECOND_MS, idleMs: 15 * SECOND_MS };
/** From the request to the end of the response. */
const MAX_MS = 90 * SECOND_MS;
/** After its deadline, the sweeper ends the hold of a job that no instance looked after. */
const SWEPT_AFTER_SECONDS = COMPLETE_WITHIN_MS / SECOND_MS + 600;

/**
 * Makes a job of a request for a video. The job owns the hold before its provider is called, and the client can find it
 * however this process ends: a retry with the same `Idempotency-Key` gets the same job.
 */
export async function startVideo(admitted: AdmittedJob): Promise<Reply> {
  const { claim, client, candidate } = admitted;
  invariant(client.format === 'videos', 'only requests for videos make these jobs');
  const { model } = candidate;
  const job = toJob(admitted, client.body);
  await refuseWithoutProvider(admitted);
  const warnings = [...admitted.warnings];
  const request = writeVideoRequest(
    client.body,
    { profile: candidate.profile, upstreamModel: model.upstreamModel, userHash: admitted.userHash },
    warnings,
  );
  const body = await writeBody({ body: request }, { source: null, isLarge: admitted.isLarge });
  await makeJob(admitted, job);
  const reply = {
    body: JSON.stringify(describeNewVideo(job)),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...writeWarnings(warnings) },
  };
  await claim?.keepOfJob(reply);
  await submit(admitted, job, body);
  return reply;
}

function toJob({ hold, candidate: { model }, mostCost }: AdmittedJob, body: VideosRequest): NewJob {
  const { requestId, userId, partnerId, keyId, rateBp, dataRules } = hold;
  return {
    id: jobIdOf(requestId),
    userId,
    partnerId,
    keyId,
    model: model.id,
    priceVersion: model.priceVersion,
    rateBp,
    dataRules: dataRules === NO_RULES ? null : dataRules,
    seconds: secondsOf(body),
    size: sizeOf(body),
    inputImages: countImages(body),
    mostCost: chargeFor(mostCost, 0).providerCost,
  };
}

const scopeOf = ({ hold, candidate: { model } }: AdmittedJob): string => userScope(hold.userId, model.id);

async function refuseWithoutProvider(admitted: AdmittedJob): Promise<void> {
  const seconds = cooldownSeconds(admitted.candidate.model.provider, scopeOf(admitted));
  if (seconds === 0) return;
  await release(admitted.hold);
  throw providerUnavailable(seconds);
}

async function makeJob({ hold }: AdmittedJob, job: NewJob): Promise<void> {
  const owner = { jobId: job.id, seconds: SWEPT_AFTER_SECONDS };
  try {
    if (await giveToJob(hold, owner, (client) => insertJob(client, job))) return;
  } catch (cause) {
    // If it was committed all the same, the job ends without its hold, and without a charge.
    await release(hold);
    throw overloaded(cause);
  }
  throw overloaded();
}

type Submitted = { upstreamId: string } | { failure: ProviderFailure; loss: LossReason | null };

/** Calls the provider once: a second call could make a second video. */
async function submit(admitted: AdmittedJob, job: NewJob, body: UpstreamBody): Promise<void> {
  const { hold, candidate } = admitted;
  const { provider } = candidate.model;
  const sinceMs = now();
  const submitted = await callOnce(admitted, body);
  const outcome = 'failure' in submitted ? submitted.failure.kind : 'ok';
  providerAttempts.add(provider, outcome);
  countProviderCall(provider, outcome, now() - sinceMs);
  const { requestId } = hold;
  if ('upstreamId' in submitted)
    return untilCommitted(requestId, 'noting a job', () => noteAccepted(job.id, submitted.upstreamId));
  const { failure, loss } = submitted;
  countProviderFailure({ provider, kind: failure.kind, status: failure.status });
  log().warn(
    { request_id: requestId, provider, kind: failure.kind, cause: describeError(failure.error.cause) },
    'provider failed',
  );
  const { code, message } = failure.error;
  const fee = failure.violatesGuidelines ? candidate.profile.refusalFee : 0n;
  const error = { code, message };
  await untilCommitted(requestId, 'the end of a job', () =>
    endVideo(job, fee > 0n ? { error, fee: candidate.profile.refusalFee } : { error, loss }),
  );
  throw failure.error;
}

async function callOnce(admitted: AdmittedJob, body: UpstreamBody): Promise<Submitted> {
  const { provider } = admitted.candidate.model;
  const abort = new Abort();
  const occupy = createPlace();
  occupy(provider);
  const timer = setTimeout(() => abort.abort(), MAX_MS);
  try {
    const upstream = await startJob(admitted.candidate.target, VIDEOS_PATH, body, abort, TIMEOUTS);
    const { statusCode: status, headers } = upstream;
    const text = await upstream.text(MAX_BYTES);
    if (status >= 300) return refused(admitted, { status, body: text, retryAfter: readRetryAfter(headers) });
    noteSuccess(provider, scopeOf(admitted));
    const upstreamId = readUpstreamId(text);
    if (upstreamId !== null) return { upstreamId };
    return { failure: brokenResponse('the provider sent no id of the job'), loss: 'unreadable_response' };
  } catch (cause) {
    return broken(admitted, cause);
  } finally {
    clearTimeout(timer);
    occupy(null);
  }
}

function refused(admitted: AdmittedJob, reading: Parameters<typeof readProviderFailure>[0]): Submitted {
  const { provider } = admitted.candidate.model;
  const failure = readProviderFailure(reading);
  if (reading.status === 401) noteOutage(provider);
  else if (reading.status >= 500 || failure.kind === 'account') noteFailure(scopeOf(admitted));
  else if (failure.kind !== 'busy') noteSuccess(provider, scopeOf(admitted));
  return { failure, loss: GATEWAY_TIMEOUTS.has(reading.status) ? 'timeout' : null };
}

function broken(admitted: AdmittedJob, cause: unknown): Submitted {
  const failure = unreachable(cause);
  if (!isConnectionError(cause)) return { failure, loss: null };
  if (isUnreachable(cause)) noteOutage(admitted.candidate.model.provider);
  else noteFailure(scopeOf(admitted));
  return { failure, loss: timedOut(cause) ? 'timeout' : mayHaveArrived(cause) ? 'connection_lost' : null };
}
