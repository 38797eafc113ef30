import { SECOND_MS } from '../../../base/clock';
import { chargeFor } from '../../../base/credits';
import { NO_RULES } from '../../../base/data-rules';
import { invariant, overloaded } from '../../../base/errors';
import type { Reply } from '../../../base/http/reply';
import { giveToJob, release, untilCommitted } from '../../../ledger';
import type { Json } from '../../protocols/neutral';
import { countImages, secondsOf, sizeOf } from '../../protocols/videos/protocol';
import type { VideosRequest } from '../../protocols/videos/schema';
import type { VideoApi } from '../../providers/videos/video-api';
import { readUpstreamId, videoApiOf, writeVideoRequest } from '../../providers/videos/video-apis';
import type { AdmittedJob } from '../admitted-job';
import { refuseWithoutProvider, submitJob } from '../submit-job';
import { type UpstreamBody, writeBody } from '../upstream';
import { writeWarnings } from '../warnings';
import { endVideo } from './end-video';
import { COMPLETE_WITHIN_MS, insertJob, type JobRow, jobIdOf, type NewJob, noteAccepted } from './job-store';
import { describeVideo } from './read-videos';

/** After its deadline, the sweeper ends the hold of a job that no instance looked after. */
const SWEPT_AFTER_SECONDS = COMPLETE_WITHIN_MS / SECOND_MS + 600;

/**
 * Makes a job of a request for a video. The job owns the hold before its provider is called, and the client can find it
 * however this process ends: a retry with the same `Idempotency-Key` gets the same job.
 */
export async function startVideo(admitted: AdmittedJob): Promise<Reply> {
  const { claim, client, candidate } = admitted;
  const api = videoApiOf(candidate.profile);
  invariant(client.format === 'videos' && api, 'only requests for videos make these jobs');
  await refuseWithoutProvider(admitted);
  const warnings = [...admitted.warnings];
  const request = await writeOrRelease(admitted, api, client.body, warnings);
  const body = await writeBody({ body: request }, { source: null, isLarge: admitted.isLarge });
  const job = await makeJob(admitted, client.body);
  const reply = {
    body: JSON.stringify(describeVideo({ ...job, charge: null })),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...writeWarnings(warnings) },
  };
  await claim?.keepOfJob(reply);
  await submit(admitted, api, job, body);
  return reply;
}

async function writeOrRelease(
  { hold, candidate: { profile, model }, userHash }: AdmittedJob,
  api: VideoApi,
  body: VideosRequest,
  warnings: string[],
): Promise<Json> {
  const { id, upstreamModel } = model;
  try {
    return writeVideoRequest(api, body, { profile, id, upstreamModel, userHash }, warnings);
  } catch (error) {
    await release(hold);
    throw error;
  }
}

function toJob({ hold, candidate: { model }, mostCost }: AdmittedJob, body: VideosRequest): NewJob {
  const { requestId, userId, partnerId, keyId, rateBp, dataRules } = hold;
  return {
    id: jobIdOf(requestId),
    user_id: userId,
    partner_id: partnerId,
    key_id: keyId,
    model: model.id,
    price_version: model.priceVersion,
    rate_bp: rateBp,
    data_rules: dataRules === NO_RULES ? null : dataRules,
    seconds: secondsOf(body),
    size: sizeOf(body),
    input_images: countImages(body),
    most_cost: chargeFor(mostCost, 0).providerCost,
  };
}

async function makeJob(admitted: AdmittedJob, body: VideosRequest): Promise<JobRow> {
  const { hold } = admitted;
  const given = toJob(admitted, body);
  let job: JobRow | null = null;
  try {
    await giveToJob(hold, { jobId: given.id, seconds: SWEPT_AFTER_SECONDS }, async (client) => {
      job = await insertJob(client, given);
    });
  } catch (cause) {
    // If it was committed all the same, the job ends without its hold, and without a charge.
    await release(hold);
    throw overloaded(cause);
  }
  if (job === null) throw overloaded();
  return job;
}

/** Calls the provider once: a second call could make a second video. */
async function submit(admitted: AdmittedJob, api: VideoApi, job: JobRow, body: UpstreamBody): Promise<void> {
  const { hold, candidate } = admitted;
  const request = { path: api.path, headers: {} };
  const submitted = await submitJob(admitted, request, body, (text) => readUpstreamId(api, text));
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
