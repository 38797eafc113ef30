import { GOOGLE_IMAGE_TOKENS } from '../protocols/images/image-tokens';
import type { ImageEditsRequest } from '../protocols/images/schema';
import { type Json, NO_TOKENS, type TokenUsage } from '../protocols/neutral';
import { asObject, asText, parseObject, refuse } from '../protocols/read-fields';
import type { Exchange, ExchangeOptions, WholeResponse } from './exchange';
import {
  contentsOf,
  INTERACTIONS_PATH,
  readEnd,
  readTokens,
  readUsage,
  writeImage,
} from './google-interactions';
import { FailedResponse, readProviderFailure } from './provider-failure';
import { wholeExchange } from './whole-exchange';

/** What reaches Google of a request for images, besides its prompt; the rest is dropped with a warning. */
export const GOOGLE_IMAGE_FIELDS = ['aspect_ratio', 'output_format', 'images', 'image'];

const SILENT = new Set(['model', 'prompt', 'n', 'user', 'stream', 'response_format']);

/** Images in OpenAI's format, made by a model of Google: one for each request. Edits begin with images, without a mask. */
export function googleImagesExchange(
  options: ExchangeOptions,
  body: ImageEditsRequest,
  isEdit: boolean,
  warnings: string[],
): Exchange {
  const { upstreamModel, created } = options;
  if ((body.n ?? 1) !== 1) throw refuse('n', 'must be 1 for this model');
  if (isEdit && body.mask) throw refuse('mask', 'cannot be used with this model');
  const isJpeg = body.output_format === 'jpeg';
  for (const [name, value] of Object.entries(body)) {
    const isPassed = name === 'output_format' ? isJpeg : GOOGLE_IMAGE_FIELDS.includes(name);
    if (value != null && !isPassed && !SILENT.has(name)) warnings.push(`${name} was dropped`);
  }
  const exchange = wholeExchange(options, 'images', {
    path: INTERACTIONS_PATH,
    body: {
      model: upstreamModel,
      input: [...(isEdit ? writeImages(body) : []), { type: 'text', text: body.prompt }],
      response_format: {
        type: 'image',
        ...(body.aspect_ratio && { aspect_ratio: body.aspect_ratio }),
        ...(isJpeg && { mime_type: 'image/jpeg' }),
      },
      store: false,
    },
    warnings,
    readWhole: (text) => readWhole(text, created),
  });
  // The image takes longest, and may be billed if the response breaks off.
  return { ...exchange, mayHideOutput: () => true };
}

const writeImages = ({ images = [], image }: ImageEditsRequest): Json[] =>
  image?.map((file) => writeImage(file, 'image')) ??
  images.map((reference, index) => writeImage(reference, `images.${index}`));

/** What Google withholds is complete, with a text at most. */
const WITHHELD = readProviderFailure({
  status: 400,
  body: JSON.stringify({
    error: {
      code: 'moderation_blocked',
      message: 'The provider made no image: its content may not be allowed.',
    },
  }),
});

function readWhole(text: string, created: number): WholeResponse {
  const response = parseObject(text) ?? {};
  const images = contentsOf(response, 'image').filter(({ data }) => asText(data) !== '');
  const reported = readImageUsage(asObject(response.usage));
  const counted = { ...NO_TOKENS, ...reported, outputUnits: images.length * GOOGLE_IMAGE_TOKENS };
  const isCounted = images.length > 0 && !reported?.outputUnits;
  const usage = isCounted ? counted : reported;
  const facts = {
    usage,
    providerCost: null,
    outputBytes: 0,
    outputReported: true,
    inputReported: reported !== null,
  };
  if (images.length === 0) {
    const isFailed = response.error !== undefined || (response.status ?? 'completed') !== 'completed';
    throw new FailedResponse(isFailed ? readEnd(response) : WITHHELD, facts, { isError: isFailed });
  }
  const data = images.map((image) => ({ b64_json: image.data }));
  return { body: JSON.stringify({ created, data, usage: writeUsage(usage ?? counted) }), ...facts };
}

function readImageUsage(given: Json): TokenUsage | null {
  const usage = readUsage(given, 'image');
  if (usage === null) return null;
  const images = Math.min(usage.input, readTokens(given.input_tokens_by_modality, 'image') ?? 0);
  return { ...usage, input: usage.input - images, ...(images > 0 && { inputUnits: images }) };
}

/** As OpenAI writes it. */
function writeUsage({ input, inputUnits = 0, output, outputUnits = 0 }: TokenUsage): Json {
  const [inputTokens, outputTokens] = [input + inputUnits, output + outputUnits];
  return {
    input_tokens: inputTokens,
    input_tokens_details: { text_tokens: input, image_tokens: inputUnits },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
