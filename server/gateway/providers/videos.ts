import type { Picocredits } from '../../base/credits';
import { UploadedFile } from '../../base/http/read-multipart';
import { fields, keepKnownFields, VALUE } from '../protocols/known-fields';
import type { Json } from '../protocols/neutral';
import { asObject, asText, parseObject } from '../protocols/read-fields';
import { countImages, secondsOf, sizeOf } from '../protocols/videos/protocol';
import { SIZES, type VideosRequest } from '../protocols/videos/schema';
import { MAX_COUNT } from './count';
import { readCost } from './openai/usage';
import type { ProviderProfile } from './profiles';
import { readProviderFailure } from './provider-failure';

/**
 * xAI's API for videos, as its documentation and the client of Vercel's AI SDK have it (November 2026): a request returns
 * an id, and reading that returns a status (pending, done, failed, expired) and then the URL of the video.
 */

export const VIDEOS_PATH = '/videos/generations';
export const videoPath = (upstreamId: string): string => `/videos/${encodeURIComponent(upstreamId)}`;

const KNOWN = fields({
  model: VALUE,
  prompt: VALUE,
  seconds: VALUE,
  size: VALUE,
  user: VALUE,
  input_reference: fields({ image_url: VALUE }),
});

export function writeVideoRequest(
  request: VideosRequest,
  {
    profile,
    upstreamModel,
    userHash,
  }: { profile: Pick<ProviderProfile, 'userField'>; upstreamModel: string; userHash: string },
  warnings: string[],
): Json {
  const { input_reference: image, ...given } = request;
  const file = image instanceof UploadedFile;
  keepKnownFields(file ? given : request, KNOWN, warnings);
  const [resolution, aspectRatio] = SIZES[sizeOf(request)];
  return {
    model: upstreamModel,
    prompt: request.prompt,
    duration: secondsOf(request),
    resolution,
    aspect_ratio: aspectRatio,
    ...(countImages(request) > 0 && { image: { url: file ? toDataUrl(image) : image?.image_url } }),
    ...(profile.userField !== null && { user: userHash }),
  };
}

const IMAGE_TYPE = /^image\/[a-z0-9.+-]{1,40}$/;

const toDataUrl = ({ contentType, bytes }: UploadedFile): string =>
  `data:${IMAGE_TYPE.test(contentType) ? contentType : 'image/png'};base64,${bytes.toString('base64')}`;

const UPSTREAM_ID = /^[\w.:-]{1,200}$/;

/** The provider's id of the job; null if the response has none. */
export function readUpstreamId(text: string): string | null {
  const { request_id: id } = parseObject(text) ?? {};
  return typeof id === 'string' && UPSTREAM_ID.test(id) ? id : null;
}

/** How far a video is. `cost` is what the provider reports to bill; null where it reports nothing. */
export type SeenVideo =
  | { state: 'pending'; progress: number }
  | { state: 'done'; url: string; seconds: number | null; cost: Picocredits | null }
  | { state: 'failed'; code: string; message: string; cost: Picocredits | null };

const MAX_URL = 4_096;

/** Reads the state of the job with this id. Null if the response is not about it, or cannot be read. */
export function readVideo(
  text: string,
  upstreamId: string,
  profile: Pick<ProviderProfile, 'reportsCost'>,
): SeenVideo | null {
  const json = parseObject(text);
  if (json === null || isOfAnother(json, upstreamId)) return null;
  const { status, video: given, progress } = json;
  const video = asObject(given);
  const cost = readCost(asObject(json.usage), profile);
  if (status === 'failed' || status === 'expired') return { state: 'failed', cost, ...readReason(json) };
  if (status !== 'done') return { state: 'pending', progress: readProgress(progress) };
  if (video.respect_moderation === false) return { state: 'failed', cost, ...BLOCKED };
  const url = asText(video.url);
  if (url === '' || url.length > MAX_URL) return { state: 'failed', cost, ...NO_VIDEO };
  return { state: 'done', url, seconds: readSeconds(video.duration), cost };
}

const isOfAnother = ({ request_id: id }: Json, upstreamId: string): boolean =>
  id !== undefined && id !== null && id !== upstreamId;

const BLOCKED = {
  code: 'moderation_blocked',
  message: 'The provider withheld the video: its content is not allowed.',
};
const EXPIRED = {
  code: 'upstream_error',
  message: 'The provider for this model did not complete the video in time.',
};
const NO_VIDEO = { code: 'upstream_error', message: 'The provider for this model returned no video.' };

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

/** Whether a URL that a provider sent is one of its own: its API's origin, or one of its hosts for videos. */
export function isOwnUrl(
  url: string,
  origin: string,
  { videoHosts }: Pick<ProviderProfile, 'videoHosts'>,
): boolean {
  if (!URL.canParse(url)) return false;
  const given = new URL(url);
  if (given.username !== '' || given.password !== '') return false;
  if (given.origin === origin) return true;
  return given.protocol === 'https:' && given.port === '' && videoHosts?.includes(given.hostname) === true;
}
