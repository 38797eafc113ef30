import { now, SECOND_MS } from '../../../base/clock';
import { describeError, log } from '../../../base/log';
import { JsonScan } from '../../../base/scan-json';
import type { Json } from '../../protocols/neutral';
import { parseObject } from '../../protocols/read-fields';
import type { FileState, SeenVideo } from '../../providers/videos/video-api';
import { isOwnUrl, videoApiOf } from '../../providers/videos/video-apis';
import { Abort } from '../abort';
import { type Candidate, resolveCandidates } from '../candidates';
import { readJob } from '../upstream';
import { endVideo } from './end-video';
import { claimDueJobs, type JobError, type JobRow, lookLater, requestIdOf } from './job-store';

const AT_ONCE = 32;
/** What Google's models thought is signed in megabytes, but has few values. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_VALUES = 10_000;
const TIMEOUTS = { startMs: 15 * SECOND_MS, idleMs: 10 * SECOND_MS };
/** Twice that is less than a claim lasts: the state of a file is read after that of its video. */
const MAX_MS = 25 * SECOND_MS;

const error = (message: string): JobError => ({ code: 'upstream_error', message });
const NOT_ACCEPTED = error('The service could not confirm that the provider accepted the video.');
const LATE = error('The provider for this model did not complete the video in time.');
const NO_FILE = error('The provider for this model returned no video.');

type MadeVideo = Extract<SeenVideo, { state: 'done' }>;

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
      if (!isOwnUrl(seen.url, candidate.target.origin, candidate.profile))
        return endVideo(job, { error: NO_FILE, ...lossOf(seen) });
      return endWithFile(job, seen, await readFileState(candidate, seen.url, stop));
  }
}

function endWithFile(job: JobRow, seen: MadeVideo, file: FileState): Promise<void> {
  if (file === 'processing') return lookLater(job, 99);
  return endVideo(job, file === 'failed' ? { error: NO_FILE, ...lossOf(seen) } : seen);
}

/** Only what a provider says to bill counts towards the pause of its user. */
const lossOf = ({ cost, usage }: Exclude<SeenVideo, { state: 'pending' }>) =>
  ({ cost, usage, loss: cost === null && usage === null ? 'failed_job' : 'failed_response' }) as const;

/** Null if the provider does not say how far the job is. */
async function readState(
  candidate: Candidate,
  upstreamId: string,
  stop: AbortSignal | undefined,
): Promise<SeenVideo | null> {
  const api = videoApiOf(candidate.profile);
  const response = api && (await readOf(candidate, api.statePath(encodeURIComponent(upstreamId)), stop));
  return api && response && api.readState(response, upstreamId, candidate.profile);
}

/** A file whose state cannot be read is no reason to wait. */
async function readFileState(
  candidate: Candidate,
  url: string,
  stop: AbortSignal | undefined,
): Promise<FileState> {
  const files = videoApiOf(candidate.profile)?.files;
  if (files === undefined) return 'ready';
  const response = await readOf(candidate, files.statePath(url), stop);
  return response === null ? 'ready' : files.readState(response);
}

/** Null if the provider does not answer. */
async function readOf(
  { target, profile }: Candidate,
  path: string,
  stop: AbortSignal | undefined,
): Promise<Json | null> {
  const abort = new Abort();
  const end = () => abort.abort();
  const timer = setTimeout(end, MAX_MS);
  stop?.addEventListener('abort', end);
  try {
    const response = await readJob(target, path, abort, TIMEOUTS);
    const text = await response.text(MAX_BYTES);
    if (response.statusCode >= 300) return null;
    new JsonScan({ values: MAX_VALUES }).add(Buffer.from(text));
    return parseObject(text);
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
