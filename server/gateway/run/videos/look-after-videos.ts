import { now, SECOND_MS } from '../../../base/clock';
import { describeError, log } from '../../../base/log';
import { isOwnUrl, readVideo, type SeenVideo, videoPath } from '../../providers/videos';
import { Abort } from '../abort';
import { type Candidate, resolveCandidates } from '../candidates';
import { readJob } from '../upstream';
import { endVideo } from './end-video';
import { claimDueJobs, type JobError, type JobRow, lookLater, requestIdOf } from './job-store';

const AT_ONCE = 32;
const MAX_BYTES = 256 * 1024;
const TIMEOUTS = { startMs: 15 * SECOND_MS, idleMs: 10 * SECOND_MS };
/** Less than a claim lasts. */
const MAX_MS = 30 * SECOND_MS;

const error = (message: string): JobError => ({ code: 'upstream_error', message });
const NOT_ACCEPTED = error('The service could not confirm that the provider accepted the video.');
const LATE = error('The provider for this model did not complete the video in time.');
const FOREIGN = error('The provider for this model returned no video.');

/** Asks providers how far their videos are, and settles those that ended. Every instance does, each for other jobs. */
export async function lookAfterVideos(stop?: AbortSignal): Promise<void> {
  const jobs = await claimDueJobs(AT_ONCE);
  await Promise.all(
    jobs.map((job) =>
      lookAt(job, stop).catch((failure: unknown) =>
        log().error(
          { request_id: requestIdOf(job.id), error: describeError(failure) },
          'video not settled, retrying',
        ),
      ),
    ),
  );
}

async function lookAt(job: JobRow, stop: AbortSignal | undefined): Promise<void> {
  // An instance died before it could note the provider's answer.
  if (job.upstream_id === null) return endVideo(job, { error: NOT_ACCEPTED, loss: 'instance_died' });
  if (now() >= job.complete_by.getTime()) return endVideo(job, { error: LATE, loss: 'timeout' });
  const [candidate] = resolveCandidates(job.model) ?? [];
  const seen = candidate === undefined ? null : await readState(candidate, job.upstream_id, stop);
  if (candidate === undefined || seen === null) return lookLater(job, 0);
  switch (seen.state) {
    case 'pending':
      return lookLater(job, seen.progress);
    case 'failed':
      return endVideo(job, { error: seen, ...lossOf(seen) });
    case 'done':
      return isOwnUrl(seen.url, candidate.target.origin, candidate.profile)
        ? endVideo(job, seen)
        : endVideo(job, { error: FOREIGN, ...lossOf(seen) });
  }
}

/** Only what a provider says to bill counts towards the pause of its user. */
const lossOf = ({ cost }: Exclude<SeenVideo, { state: 'pending' }>) =>
  ({ cost, loss: cost === null ? 'failed_job' : 'failed_response' }) as const;

/** Null if the provider does not say how far the job is. */
async function readState(
  { target, profile }: Candidate,
  upstreamId: string,
  stop: AbortSignal | undefined,
): Promise<SeenVideo | null> {
  const abort = new Abort();
  const end = () => abort.abort();
  const timer = setTimeout(end, MAX_MS);
  stop?.addEventListener('abort', end);
  try {
    const response = await readJob(target, videoPath(upstreamId), abort, TIMEOUTS);
    const text = await response.text(MAX_BYTES);
    return response.statusCode < 300 ? readVideo(text, upstreamId, profile) : null;
  } catch (failure) {
    log().warn(
      { provider: profile.name, error: describeError(failure) },
      'the state of a video could not be read',
    );
    return null;
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}
