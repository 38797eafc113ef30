import { SECOND_MS } from '../../../base/clock';
import { chargeFor } from '../../../base/credits';
import { NO_RULES } from '../../../base/data-rules';
import { invariant, overloaded } from '../../../base/errors';
import type { Reply } from '../../../base/http/reply';
import { giveToJob, release, untilCommitted } from '../../../ledger';
import { countImages, secondsOf, sizeOf } from '../../protocols/videos/protocol';
import type { VideosRequest } from '../../protocols/videos/schema';
import { readUpstreamId, VIDEOS_PATH, writeVideoRequest } from '../../providers/videos';
import type { AdmittedJob } from '../admitted-job';
import { refuseWithoutProvider, submitJob } from '../submit-job';
import { type UpstreamBody, writeBody } from '../upstream';
import { writeWarnings } from '../warnings';
import { endVideo } from './end-video';
import { COMPLETE_WITHIN_MS, insertJob, jobIdOf, type NewJob, noteAccepted } from './job-store';
import { describeNewVideo } from './read-videos';

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

/** Calls the provider once: a second call could make a second video. */
async function submit(admitted: AdmittedJob, job: NewJob, body: UpstreamBody): Promise<void> {
  const { hold, candidate } = admitted;
  const submitted = await submitJob(admitted, { path: VIDEOS_PATH, headers: {} }, body, readUpstreamId);
  const { requestId } = hold;
  if ('upstreamId' in submitted)
    return untilCommitted(requestId, 'noting a job', () => noteAccepted(job.id, submitted.upstreamId));
  const { failure, loss } = submitted;
  const { code, message } = failure.error;
  const fee = failure.violatesGuidelines ? candidate.profile.refusalFee : 0n;
  const error = { code, message };
  await untilCommitted(requestId, 'the end of a job', () =>
    endVideo(job, fee > 0n ? { error, fee: candidate.profile.refusalFee } : { error, loss }),
  );
  throw failure.error;
}
