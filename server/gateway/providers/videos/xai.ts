import { UploadedFile } from '../../../base/http/read-multipart';
import type { Json } from '../../protocols/neutral';
import { asObject, asText } from '../../protocols/read-fields';
import { countImages, secondsOf, sizeOf } from '../../protocols/videos/protocol';
import { SIZES } from '../../protocols/videos/schema';
import { MAX_COUNT } from '../count';
import { readCost } from '../openai/usage';
import { readProviderFailure } from '../provider-failure';
import { BLOCKED, isUrl, NO_VIDEO, type SeenVideo, type VideoApi } from './video-api';

/**
 * xAI's API for videos, as its documentation and the client of Vercel's AI SDK have it (November 2026): a request returns
 * an id, and reading that returns a status (pending, done, failed, expired) and then the URL of the video.
 */
export const xaiVideos: VideoApi = {
  path: '/videos/generations',
  write(request, { profile, upstreamModel, userHash }) {
    const [resolution, aspectRatio] = SIZES[sizeOf(request)];
    return {
      model: upstreamModel,
      prompt: request.prompt,
      duration: secondsOf(request),
      resolution,
      aspect_ratio: aspectRatio,
      ...(countImages(request) > 0 && { image: { url: toUrl(request.input_reference) } }),
      ...(profile.userField !== null && { user: userHash }),
    };
  },
  readId: ({ request_id: id }) => id,
  statePath: (upstreamId) => `/videos/${upstreamId}`,
  readState(response, upstreamId, profile): SeenVideo | null {
    if (isOfAnother(response, upstreamId)) return null;
    const { status, video: given, progress } = response;
    const video = asObject(given);
    const report = {
      seconds: readSeconds(video.duration),
      cost: readCost(asObject(response.usage), profile),
      usage: null,
    };
    if (status === 'failed' || status === 'expired')
      return { state: 'failed', ...report, ...readReason(response) };
    if (status !== 'done') return { state: 'pending', progress: readProgress(progress) };
    if (video.respect_moderation === false) return { state: 'failed', ...report, ...BLOCKED };
    const url = asText(video.url);
    return isUrl(url) ? { state: 'done', url, ...report } : { state: 'failed', ...report, ...NO_VIDEO };
  },
};

const IMAGE_TYPE = /^image\/[a-z0-9.+-]{1,40}$/;

function toUrl(image: unknown): string {
  if (!(image instanceof UploadedFile)) return asText(asObject(image).image_url);
  const { contentType, bytes } = image;
  return `data:${IMAGE_TYPE.test(contentType) ? contentType : 'image/png'};base64,${bytes.toString('base64')}`;
}

const isOfAnother = ({ request_id: id }: Json, upstreamId: string): boolean =>
  id !== undefined && id !== null && id !== upstreamId;

const EXPIRED = {
  code: 'upstream_error',
  message: 'The provider for this model did not complete the video in time.',
};

/** The code and the message of the provider, without what they show of our account. */
function readReason({ status, error }: Json): { code: string; message: string } {
  if (status === 'expired') return EXPIRED;
  const isRefusal = asObject(error).code === 'invalid_argument';
  const failure = readProviderFailure({ status: isRefusal ? 400 : 500, body: JSON.stringify({ error }) });
  return { code: failure.error.code, message: failure.error.message };
}

function readProgress(progress: unknown): number {
  const percent = typeof progress === 'number' && Number.isFinite(progress) ? Math.floor(progress) : 0;
  return Math.min(99, Math.max(0, percent));
}

/** A length in seconds may have decimals, which count as a whole one. */
function readSeconds(duration: unknown): number | null {
  const isLength = typeof duration === 'number' && duration > 0 && duration <= MAX_COUNT;
  return isLength ? Math.ceil(duration) : null;
}
