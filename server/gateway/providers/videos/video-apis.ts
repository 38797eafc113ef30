import { UploadedFile } from '../../../base/http/read-multipart';
import { fields, keepKnownFields, VALUE } from '../../protocols/known-fields';
import type { Json } from '../../protocols/neutral';
import { parseObject } from '../../protocols/read-fields';
import type { VideosRequest } from '../../protocols/videos/schema';
import type { ProviderProfile } from '../profiles';
import { googleVideos } from './google';
import type { CalledModel, VideoApi } from './video-api';
import { xaiVideos } from './xai';

const APIS: Readonly<Record<'xai' | 'google', VideoApi>> = { xai: xaiVideos, google: googleVideos };

/** Null for a provider that makes no videos in a format that we call. */
export const videoApiOf = ({ videos }: Pick<ProviderProfile, 'videos'>): VideoApi | null =>
  videos === null ? null : APIS[videos.api];

const KNOWN = fields({
  model: VALUE,
  prompt: VALUE,
  seconds: VALUE,
  size: VALUE,
  user: VALUE,
  input_reference: fields({ image_url: VALUE }),
});

/** What the provider receives. Throws `invalid_request` for what it cannot make, and adds a warning for each dropped field. */
export function writeVideoRequest(
  api: VideoApi,
  request: VideosRequest,
  called: CalledModel,
  warnings: string[],
): Json {
  const { input_reference: image, ...given } = request;
  keepKnownFields(image instanceof UploadedFile ? given : request, KNOWN, warnings);
  return api.write(request, called);
}

const UPSTREAM_ID = /^[\w.:-]{1,200}$/;

/** The provider's id of the job; null if the response has none. */
export function readUpstreamId(api: VideoApi, text: string): string | null {
  const id = api.readId(parseObject(text) ?? {});
  return typeof id === 'string' && UPSTREAM_ID.test(id) ? id : null;
}

/** Whether a URL that a provider sent is one of its own: its API's origin, or one of its hosts for videos. */
export function isOwnUrl(url: string, origin: string, { videos }: Pick<ProviderProfile, 'videos'>): boolean {
  if (!URL.canParse(url)) return false;
  const given = new URL(url);
  if (given.username !== '' || given.password !== '') return false;
  if (given.origin === origin) return true;
  return given.protocol === 'https:' && given.port === '' && videos?.hosts.includes(given.hostname) === true;
}
