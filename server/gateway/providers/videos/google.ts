import { UploadedFile } from '../../../base/http/read-multipart';
import { parseDataUrl, sniffImageType } from '../../protocols/media';
import { type Json, NO_TOKENS, type TokenUsage, writeUnits } from '../../protocols/neutral';
import { asArray, asObject, asText, refuse } from '../../protocols/read-fields';
import { secondsOf, sizeOf } from '../../protocols/videos/protocol';
import { SIZES, type VideosRequest } from '../../protocols/videos/schema';
import { readCount } from '../count';
import { readProviderFailure } from '../provider-failure';
import { BLOCKED, isUrl, NO_REPORT, NO_VIDEO, type SeenVideo, type VideoApi } from './video-api';

/**
 * Google's Interactions API, as its own client has it (`@google/genai` 2.32.0, November 2026): an interaction in the
 * background is read until it has ended. Its video is a file of our account, which Google may process for a minute
 * after the interaction is complete.
 */
export const googleVideos: VideoApi = {
  path: '/interactions',
  write(request, { id, upstreamModel }) {
    const [resolution, aspectRatio] = SIZES[sizeOf(request)];
    if (aspectRatio === '1:1') throw refuse('size', `${id} makes no square videos`);
    const seconds = secondsOf(request);
    if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
      throw refuse('seconds', `must be ${MIN_SECONDS} to ${MAX_SECONDS} for ${id}`);
    const text = { type: 'text', text: request.prompt };
    const image = readImage(request);
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
  statePath: (upstreamId) => `/interactions/${upstreamId}`,
  readState(response, upstreamId): SeenVideo | null {
    if (response.id !== upstreamId) return null;
    const { status } = response;
    const usage = readUsage(asObject(response.usage));
    if (status === 'completed') {
      const url = findVideo(response);
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
    isProcessing: ({ state }) => state === 'PROCESSING',
  },
};

/** Of a video from text or from an image. Source: Google's model page, as Vercel's AI Gateway and others repeat it. */
const MIN_SECONDS = 3;
const MAX_SECONDS = 15;

function readImage({ input_reference: image }: VideosRequest): Json | null {
  if (!image) return null;
  const data =
    image instanceof UploadedFile ? image.bytes.toString('base64') : parseDataUrl(image.image_url)?.data;
  if (data === undefined) throw refuse('input_reference.image_url', 'must be a data URL for this model');
  return { type: 'image', data, mime_type: sniffImageType(data) };
}

/** Statuses that do not change any more, besides `completed`. */
const ENDED: ReadonlySet<unknown> = new Set([
  'failed',
  'cancelled',
  'incomplete',
  'budget_exceeded',
  'requires_action',
  'requires_continuation',
]);

/** The URL of the video that the model made; empty if it made none. An image of the input is none. */
function findVideo({ steps }: Json): string {
  for (const step of asArray(steps).map(asObject)) {
    if (step.type !== 'model_output') continue;
    for (const content of asArray(step.content).map(asObject))
      if (content.type === 'video') return asText(content.uri);
  }
  return '';
}

/**
 * Tokens of video have a price of their own. All others of the output are charged as text, thoughts included, which
 * Google counts outside the output. Null for a report that cannot be read.
 */
function readUsage(usage: Json): TokenUsage | null {
  const video = readVideoTokens(usage.output_tokens_by_modality);
  const output = readCount(usage.total_output_tokens);
  if (video === null || output === null) return null;
  const input = readCount(usage.total_input_tokens) ?? 0;
  const reasoning = readCount(usage.total_thought_tokens) ?? 0;
  const total = readCount(usage.total_tokens) ?? 0;
  const others = Math.max(0, Math.max(output + reasoning, total - input) - video);
  return {
    ...NO_TOKENS,
    input,
    output: others,
    reasoning: Math.min(reasoning, others),
    ...writeUnits({ input: 0, output: video }),
  };
}

function readVideoTokens(given: unknown): number | null {
  if (!Array.isArray(given)) return null;
  let sum = 0;
  for (const { modality, tokens } of given.map(asObject)) {
    if (asText(modality).toLowerCase() !== 'video') continue;
    const count = readCount(tokens);
    if (count === null) return null;
    sum += count;
  }
  return sum;
}

function readReason({ error, errors, status }: Json): { code: string; message: string } {
  const given = error ?? asArray(errors)[0] ?? { message: `The video ended as ${asText(status)}` };
  const failure = readProviderFailure({ status: 500, body: JSON.stringify({ error: given }) });
  return { code: failure.error.code, message: failure.error.message };
}
