import { z } from 'zod';
import { UploadedFile } from '../../../base/http/read-multipart';
import type { FormShape } from '../form-fields';
import { imageReference, requireInputImage } from '../image-reference';
import type { Json } from '../neutral';
import { expecting, positiveInteger, refuse, validateRequest } from '../read-fields';

/** The most images of one request, and of those that an edit begins with. */
export const MAX_IMAGES = 10;
const MAX_INPUT_IMAGES = 16;
const MAX_PROMPT = 32_000;
const MAX_PARTIAL_IMAGES = 3;

const SIZE = /^\d{2,4}x\d{2,4}$/;

const shared = {
  model: z
    .string({ error: expecting('a model id such as openai/gpt-image-2') })
    .min(1)
    .meta({ description: 'A model with `type: "image"`; `GET /v1/models` lists them.' }),
  prompt: z
    .string({ error: 'is required: what the image shows' })
    .min(1, { error: 'is required: what the image shows' })
    .max(MAX_PROMPT, { error: `must have at most ${MAX_PROMPT} characters` }),
  n: positiveInteger
    .max(MAX_IMAGES, { error: `must be at most ${MAX_IMAGES}` })
    .nullish()
    .meta({ description: 'How many images. Default 1. A stream has one.' }),
  size: z
    .string({ error: 'must be a size such as 1024x1024, or `auto`' })
    .refine((size) => size === 'auto' || SIZE.test(size), {
      error: 'must be a size such as 1024x1024, or `auto`',
    })
    .nullish()
    .meta({
      description:
        'Default `auto`: the hold covers the most expensive one that the model chooses from. Models that take any size get 1024x1024.',
    }),
  quality: z
    .enum(['low', 'medium', 'high', 'auto'], { error: 'must be `low`, `medium`, `high` or `auto`' })
    .nullish()
    .meta({ description: 'Default `auto`, for which the hold covers `high`.' }),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  output_format: z.enum(['png', 'jpeg', 'webp'], { error: 'must be `png`, `jpeg` or `webp`' }).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  response_format: z
    .enum(['b64_json', 'url'], { error: 'must be `b64_json`' })
    .nullish()
    .meta({ description: 'Images are always returned as `b64_json`.' }),
  aspect_ratio: z
    .string()
    .max(10)
    .nullish()
    .meta({ description: 'Such as `16:9`, for models without sizes.' }),
  stream: z.boolean({ error: 'must be true or false' }).nullish(),
  partial_images: z
    .int()
    .min(0)
    .max(MAX_PARTIAL_IMAGES, { error: `must be at most ${MAX_PARTIAL_IMAGES}` })
    .nullish()
    .meta({ description: 'How many unfinished images a stream shows first. Each costs 100 image tokens.' }),
};

const hasOneStreamed = ({
  stream,
  n,
}: {
  stream?: boolean | null | undefined;
  n?: number | null | undefined;
}) => stream !== true || (n ?? 1) === 1;
const ONE_STREAMED = { error: 'must be 1 in a stream', path: ['n'] };

/** A request for images, in OpenAI's format. */
export const imagesRequestSchema = z.looseObject(shared).refine(hasOneStreamed, ONE_STREAMED);

const inputFidelity = z.enum(['low', 'high'], { error: 'must be `low` or `high`' }).nullish();

/** A request to change images, in OpenAI's format. */
export const imageEditsRequestSchema = z
  .looseObject({
    ...shared,
    images: z
      .array(imageReference, { error: 'is required: a list of `{"image_url": "data:image/png;base64,…"}`' })
      .min(1, { error: 'must have at least one image' })
      .max(MAX_INPUT_IMAGES, { error: `must have at most ${MAX_INPUT_IMAGES} images` }),
    mask: imageReference
      .nullish()
      .meta({ description: 'Its transparent parts are those of the first image to change.' }),
    input_fidelity: inputFidelity,
  })
  .refine(hasOneStreamed, ONE_STREAMED);

/** The same as multipart/form-data, with files in place of references. */
const imageEditsFormSchema = imagesRequestSchema.and(z.looseObject({ input_fidelity: inputFidelity }));

export const EDITS_FORM = {
  n: 'number',
  output_compression: 'number',
  partial_images: 'number',
  stream: 'flag',
  image: { maxFiles: MAX_INPUT_IMAGES },
  mask: 'file',
} as const satisfies FormShape;

export function validateImageEdits(json: Json): ImageEditsRequest {
  const request = validateFields(json);
  const { image, images = image ?? [], mask } = request;
  for (const [index, given] of images.entries())
    requireInputImage(given, image === undefined ? `images.${index}` : 'image');
  if (mask) requireInputImage(mask, 'mask');
  return request;
}

function validateFields(json: Json): ImageEditsRequest {
  const { image, mask } = json;
  if (image === undefined) return validateRequest(imageEditsRequestSchema, json);
  if (!Array.isArray(image) || image.length === 0 || !image.every(isFile))
    throw refuse('image', 'must be files of multipart/form-data; JSON has `images`');
  if (json.images !== undefined) throw refuse('images', 'cannot be used together with `image`');
  if (mask !== undefined && !isFile(mask)) throw refuse('mask', 'must be a file');
  return validateRequest(imageEditsFormSchema, json) as ImageEditsRequest;
}

const isFile = (value: unknown): value is UploadedFile => value instanceof UploadedFile;

export type ImagesRequest = z.output<typeof imagesRequestSchema>;
export type ImageEditsRequest = ImagesRequest & {
  /** References, in JSON. */
  images?: z.output<typeof imageReference>[];
  /** Files, in a form. */
  image?: UploadedFile[];
  mask?: z.output<typeof imageReference> | UploadedFile | null | undefined;
  input_fidelity?: 'low' | 'high' | null | undefined;
};
