import type { Json } from '../../protocols/neutral';
import { asText, refuse } from '../../protocols/read-fields';
import { secondsOf, sizeOf } from '../../protocols/videos/protocol';
import { SIZES } from '../../protocols/videos/schema';
import { contentsOf, INTERACTIONS_PATH, readEnd, readUsage, writeImage } from '../google-interactions';
import { BLOCKED, isUrl, NO_REPORT, NO_VIDEO, type SeenVideo, type VideoApi } from './video-api';

/**
 * An interaction in the background is read until it has ended. Its video is a file of our account, which Google may
 * process for a minute after the interaction is complete.
 */
export const googleVideos: VideoApi = {
  path: INTERACTIONS_PATH,
  write(request, { id, upstreamModel }) {
    const [resolution, aspectRatio] = SIZES[sizeOf(request)];
    if (aspectRatio === '1:1') throw refuse('size', `${id} makes no square videos`);
    const seconds = secondsOf(request);
    if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
      throw refuse('seconds', `must be ${MIN_SECONDS} to ${MAX_SECONDS} for ${id}`);
    const text = { type: 'text', text: request.prompt };
    const given = request.input_reference;
    const image = given ? writeImage(given, 'input_reference') : null;
    return {
      model: upstreamModel,
      input: image === null ? [text] : [image, text],
      response_format: {
        type: 'video',
        delivery: 'uri',
        aspect_ratio: aspectRatio,
        resolution,
        duration: `${seconds}s`,
      },
      ...(image !== null && { generation_config: { video_config: { task: 'image_to_video' } } }),
      // Without it, the response would come after the video. Google runs in the background only what it stores.
      background: true,
      store: true,
    };
  },
  readId: ({ id }) => id,
  statePath: (upstreamId) => `${INTERACTIONS_PATH}/${upstreamId}`,
  readState(response, upstreamId): SeenVideo | null {
    if (response.id !== upstreamId) return null;
    const { status } = response;
    const usage = readUsage(response.usage, 'video');
    if (status === 'completed') {
      const url = asText(contentsOf(response, 'video')[0]?.uri);
      const isMade = usage !== null && usage.outputUnits !== undefined;
      if (isUrl(url)) return { state: 'done', url, ...NO_REPORT, usage: isMade ? usage : null };
      // What Google withholds is complete, with a text at most.
      return { state: 'failed', ...NO_REPORT, usage, ...(isMade ? NO_VIDEO : BLOCKED) };
    }
    if (ENDED.has(status)) return { state: 'failed', ...NO_REPORT, usage, ...readReason(response) };
    return { state: 'pending', progress: status === 'in_progress' ? 1 : 0 };
  },
  files: {
    statePath: (url) => new URL(url).pathname.replace(/^.*(?=\/files\/)/, '').replace(/:download$/, ''),
    readState: ({ state }) =>
      state === 'PROCESSING' ? 'processing' : state === 'FAILED' ? 'failed' : 'ready',
  },
};

/** Of a video from text or from an image. Source: Google's model page, as Vercel's AI Gateway and others repeat it. */
const MIN_SECONDS = 3;
const MAX_SECONDS = 15;

/** Statuses that do not change any more, besides `completed`. */
const ENDED: ReadonlySet<unknown> = new Set([
  'failed',
  'cancelled',
  'incomplete',
  'budget_exceeded',
  'requires_action',
  'requires_continuation',
]);

function readReason(response: Json): { code: string; message: string } {
  const { code, message } = readEnd(response).error;
  return { code, message };
}
