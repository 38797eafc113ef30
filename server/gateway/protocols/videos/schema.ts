import { z } from 'zod';
import { UploadedFile } from '../../../base/http/read-multipart';
import type { FormShape } from '../form-fields';
import { imageReference, requireInputImage } from '../image-reference';
import type { Json } from '../neutral';
import { expecting, validateRequest } from '../read-fields';

const MAX_PROMPT = 32_000;
const MAX_SECONDS = 15;
/** Their aspect ratio is that of a size of OpenAI, or of a film. */
export const SIZES = {
  '854x480': ['480p', '16:9'],
  '480x854': ['480p', '9:16'],
  '480x480': ['480p', '1:1'],
  '1280x720': ['720p', '16:9'],
  '720x1280': ['720p', '9:16'],
  '720x720': ['720p', '1:1'],
  '1920x1080': ['1080p', '16:9'],
  '1080x1920': ['1080p', '9:16'],
  '1080x1080': ['1080p', '1:1'],
} as const;
export type VideoSize = keyof typeof SIZES;
const SIZE_NAMES = Object.keys(SIZES) as [VideoSize, ...VideoSize[]];

export const DEFAULT_SIZE: VideoSize = '1280x720';
export const DEFAULT_SECONDS = 4;

const SECONDS = /^[1-9]\d?$/;
const wrongSeconds = { error: `must be a whole number of seconds from 1 to ${MAX_SECONDS}` };
const isLength = (seconds: string | number): boolean =>
  SECONDS.test(String(seconds)) && Number(seconds) <= MAX_SECONDS;

/** A request for a video, in OpenAI's format. */
export const videosRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as xai/grok-imagine-video') })
    .min(1)
    .meta({ description: 'A model with `type: "video"`; `GET /v1/models` lists them.' }),
  prompt: z
    .string({ error: 'is required: what the video shows' })
    .min(1, { error: 'is required: what the video shows' })
    .max(MAX_PROMPT, { error: `must have at most ${MAX_PROMPT} characters` }),
  seconds: z
    .union([z.string(), z.number()], wrongSeconds)
    .refine(isLength, wrongSeconds)
    .nullish()
    .meta({ description: `The length, 1 to ${MAX_SECONDS}. Default ${DEFAULT_SECONDS}.` }),
  size: z
    .enum(SIZE_NAMES, { error: `must be one of ${SIZE_NAMES.join(', ')}` })
    .nullish()
    .meta({ description: `Default ${DEFAULT_SIZE}. Its resolution decides the price.` }),
  input_reference: z
    .union([imageReference, z.instanceof(UploadedFile).meta({ type: 'string', format: 'binary' })], {
      error: 'must be `{"image_url": "data:image/png;base64,…"}`, or a file of a form',
    })
    .nullish()
    .meta({ description: 'An image that the video begins with.' }),
});

export function validateVideos(json: Json): VideosRequest {
  const request = validateRequest(videosRequestSchema, json);
  if (request.input_reference) requireInputImage(request.input_reference, 'input_reference');
  return request;
}

export const VIDEOS_FORM = { input_reference: 'file-or-object' } as const satisfies FormShape;

export type VideosRequest = z.output<typeof videosRequestSchema>;
