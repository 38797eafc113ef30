import { z } from 'zod';
import { MINUTE_MS, SECOND_MS, toUnixSeconds } from '../../../base/clock';
import { dollarsToJson } from '../../../base/credits';
import { ApiError } from '../../../base/errors';
import { connectionOf } from '../../../base/http/api-request';
import { validate } from '../../../base/http/read-body';
import { privateJson } from '../../../base/http/respond';
import { describeError, log } from '../../../base/log';
import { refuse } from '../../protocols/read-fields';
import type { deletedVideoSchema, Video, videoListSchema } from '../../protocols/videos/response-schema';
import { videoApiOf } from '../../providers/videos/video-apis';
import { Abort } from '../abort';
import { findCandidate } from '../candidates';
import type { KeptReader } from '../kept-store';
import { askFor } from '../stored-responses';
import { readFile } from '../upstream';
import type { UpstreamResponse } from '../upstream-response';
import { deleteJob, findJob, listJobs, openUrl, type ReadRow } from './job-store';

/** The endpoints of a video that a job makes. */

export function describeVideo(job: ReadRow): Video {
  const isRunning = job.state === 'running';
  const isQueued = isRunning && (job.upstream_id === null || job.progress === 0);
  const { error_code: code, error_message: message } = job;
  return {
    id: job.id,
    object: 'video',
    model: job.model,
    status: isQueued ? 'queued' : job.state === 'running' ? 'in_progress' : job.state,
    progress: job.progress,
    created_at: toUnixSeconds(job.created_at),
    completed_at: job.state === 'completed' && job.ended_at !== null ? toUnixSeconds(job.ended_at) : null,
    expires_at: isRunning ? null : toUnixSeconds(job.expires_at),
    prompt: null,
    remixed_from_video_id: null,
    seconds: String(job.seconds),
    size: job.size,
    error: code === null ? null : { code, message: message ?? '' },
    usage: isRunning ? null : { cost: dollarsToJson(job.charge ?? 0n) },
  };
}

const ID = /^video_\w{1,60}$/;

const notFound = (): ApiError =>
  new ApiError(
    'not_found',
    'No video with this id belongs to this user in this app. Videos are forgotten 24 hours after they end.',
  );

async function requireJob(owner: KeptReader, id: string): Promise<ReadRow> {
  const job = ID.test(id) ? await findJob(owner, id) : null;
  if (job === null) throw notFound();
  return job;
}

export async function sendVideo(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  return privateJson(describeVideo(await requireJob(owner, id)));
}

const MAX_VIDEOS = 100;
const DEFAULT_VIDEOS = 20;

export const videosQuerySchema = z.object({
  limit: z.coerce
    .number(`must be a number from 1 to ${MAX_VIDEOS}`)
    .int()
    .min(1)
    .max(MAX_VIDEOS)
    .default(DEFAULT_VIDEOS)
    .meta({ description: `Videos per page, at most ${MAX_VIDEOS}.` }),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .default('desc')
    .meta({ description: 'Oldest or newest first.' }),
  after: z
    .string()
    .regex(ID, 'must be the id of a video')
    .optional()
    .meta({ description: 'The id of the video before the page.' }),
});

export async function listVideos(request: Request): Promise<Response> {
  const { owner } = await askFor(request);
  const page = validate(videosQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
  const found = await listJobs(owner, page);
  const data = found.slice(0, page.limit).map(describeVideo);
  return privateJson({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > page.limit,
  } satisfies z.output<typeof videoListSchema>);
}

export async function deleteVideo(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  if (!ID.test(id) || !(await deleteJob(owner, id))) throw notFound();
  return privateJson({ id, object: 'video.deleted', deleted: true } satisfies z.output<
    typeof deletedVideoSchema
  >);
}

/** Much more than 15 seconds have. */
const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUTS = { startMs: 30 * SECOND_MS, idleMs: 30 * SECOND_MS };
const MAX_MS = 10 * MINUTE_MS;
const VIDEO_TYPE = /^video\/[a-z0-9.+-]{1,40}$/;

/** Sends the video as its provider has it, at the pace of the client: the URL would show its account. */
export async function sendVideoContent(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  const job = await requireJob(owner, id);
  const variant = new URL(request.url).searchParams.get('variant') ?? 'video';
  if (variant !== 'video') throw refuse('variant', 'must be `video`');
  const url = openUrl(job);
  if (url === null) throw noContent(job);
  const { abort, end } = beginDownload(request, owner);
  try {
    const upstream = await open(job, new URL(url), abort);
    const { type, length } = readHeaders(upstream);
    return new Response(relay(upstream, end), {
      headers: {
        'content-type': type,
        ...(length !== null && { 'content-length': String(length) }),
        'content-disposition': `attachment; filename="${id}.${type === 'video/webm' ? 'webm' : 'mp4'}"`,
        'cache-control': 'no-store',
      },
    });
  } catch (error) {
    end();
    throw error;
  }
}

type Download = { userId: string; abort: Abort };
const downloads = new Set<Download>();

/** One video may be read as often as its user likes, and each time it is a connection to its provider. */
const MAX_DOWNLOADS_PER_USER = 4;

function beginDownload(request: Request, { userId }: KeptReader): { abort: Abort; end: () => void } {
  const ofUser = [...downloads].filter((other) => other.userId === userId).length;
  if (ofUser >= MAX_DOWNLOADS_PER_USER)
    throw new ApiError('rate_limited', 'Too many videos are being downloaded. Retry when some have ended.', {
      retryAfterSeconds: 1,
    });
  const download = { userId, abort: new Abort() };
  downloads.add(download);
  const end = () => {
    clearTimeout(timer);
    downloads.delete(download);
  };
  const breakOff = () => {
    download.abort.abort();
    end();
  };
  const timer = setTimeout(breakOff, MAX_MS);
  // Nobody reads, and nobody cancels, the body of the response to a HEAD request.
  const outgoing = connectionOf(request)?.outgoing;
  if (outgoing?.destroyed) breakOff();
  else outgoing?.once('close', breakOff);
  return { abort: download.abort, end };
}

const noContent = ({ state, error_message: reason }: ReadRow): ApiError =>
  state === 'running'
    ? new ApiError('not_found', 'This video is not complete yet. Read its status until it is `completed`.')
    : new ApiError('not_found', `This video does not exist: ${reason ?? 'it was deleted.'}`);

/** Statuses of a file that no longer exists. */
const GONE = new Set([403, 404, 410]);

async function open({ model }: ReadRow, url: URL, abort: Abort): Promise<UpstreamResponse> {
  const unreadable = (cause: unknown) =>
    new ApiError('upstream_error', 'The provider did not send the video. Please retry.', { cause });
  const candidate = findCandidate(model);
  const isBehindKey = candidate !== null && videoApiOf(candidate.profile)?.files !== undefined;
  const target = isBehindKey ? candidate.target : null;
  const upstream = await readFile(url, target, abort, TIMEOUTS).catch((cause: unknown) => {
    throw unreadable(cause);
  });
  const { statusCode } = upstream;
  if (statusCode === 200) return upstream;
  upstream.cancel();
  if (GONE.has(statusCode))
    throw new ApiError(
      'not_found',
      'The provider of this video no longer has it. Videos are available for a short time only.',
    );
  throw unreadable(new Error(`the file has the status ${statusCode}`));
}

function readHeaders(upstream: UpstreamResponse): { type: string; length: number | null } {
  const { 'content-type': type = '', 'content-length': size } = upstream.headers;
  const [essence = ''] = String(type).toLowerCase().split(';');
  const length = typeof size === 'string' && /^\d{1,15}$/.test(size) ? Number(size) : null;
  const isVideo = VIDEO_TYPE.test(essence.trim());
  if (isVideo && (length ?? 0) <= MAX_BYTES) return { type: essence.trim(), length };
  upstream.cancel();
  const cause = new Error(isVideo ? `a video of ${length} bytes` : 'not a video');
  throw new ApiError('upstream_error', 'The provider sent no video.', { cause });
}

function relay(upstream: UpstreamResponse, onEnd: () => void): ReadableStream<Uint8Array> {
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await upstream.read();
          bytes += piece?.length ?? 0;
          if (bytes > MAX_BYTES) throw new Error(`the video exceeds ${MAX_BYTES} bytes`);
          if (piece !== null) return controller.enqueue(piece);
          onEnd();
          controller.close();
        } catch (error) {
          log().warn({ error: describeError(error) }, 'a video broke off');
          onEnd();
          upstream.cancel();
          controller.error(new Error('The provider ended the video early'));
        }
      },
      cancel() {
        onEnd();
        upstream.cancel();
      },
    },
    { highWaterMark: 1 },
  );
}
