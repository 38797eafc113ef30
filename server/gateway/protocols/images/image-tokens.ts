import type { Json, UnitModel, Units } from '../neutral';
import { refuse } from '../read-fields';
import { type ImageEditsRequest, type ImagesRequest, MAX_IMAGES } from './schema';

/**
 * The most image tokens of a request. No provider takes a limit of them, so they follow from the model's own limit, or
 * from the size and the quality, and a model whose tokens are not known is refused. Sources, November 2026: OpenAI's guide "Image generation" with its
 * calculator (output, 100 tokens for each partial image), and the bills of 100 edits that were published on OpenAI's
 * forum (input: at most 1,536 patches of an image).
 */
const WITH_KNOWN_TOKENS = /^(?:gpt-image-2(?:-\d|$)|paint)/;

const PARTIAL_IMAGE_TOKENS = 100;
const INPUT_IMAGE_TOKENS = 1_536;
/** Of an image of any size that a model of Google reads or makes. Source: Google's "Media resolution" and its prices. */
export const GOOGLE_IMAGE_TOKENS = 1_120;

export const DEFAULT_SIZE = '1024x1024';
const STEP = 16;
const LONGEST_SIDE = 3_840;
const WIDEST = 3;
const LEAST_PIXELS = 655_360;
const MOST_PIXELS = 8_294_400;
/** So that the response can be relayed. */
const MOST_PIXELS_OF_RESPONSE = 16_777_216;

/** Tokens of the longer side. */
const SIDE_OF = { low: 16, medium: 48, high: 96 };
type Quality = keyof typeof SIDE_OF;

/** Whether the model takes any size, so that a size of its own choice would have no bound. */
export const needsSize = (upstreamModel: string): boolean => WITH_KNOWN_TOKENS.test(upstreamModel);

/** The most units of the images that are made, and of those that an edit begins with. */
export function imageUnits(
  body: ImagesRequest | ImageEditsRequest,
  { upstreamModel, prices, maxOutputTokens }: UnitModel,
): Units {
  const images = Math.min(MAX_IMAGES, body.n ?? 1);
  if (prices.outputUnit?.kind === 'image') return { input: 0, output: images };
  const isKnown = WITH_KNOWN_TOKENS.test(upstreamModel);
  if (!isKnown && maxOutputTokens > 0)
    return { input: countInputImages(body) * GOOGLE_IMAGE_TOKENS, output: images * maxOutputTokens };
  if (!isKnown) throw refuse('model', 'cannot be used: how many tokens its images have at most is not known');
  const [width, height] = readSize(body.size);
  if (images * width * height > MOST_PIXELS_OF_RESPONSE)
    throw refuse('n', `is too large: ${images} images of ${width}x${height} have more than 16 megapixels`);
  const partial = body.stream === true ? (body.partial_images ?? 0) * PARTIAL_IMAGE_TOKENS : 0;
  return {
    input: countInputImages(body) * INPUT_IMAGE_TOKENS,
    output: images * (outputTokens(readQuality(body.quality), width, height) + partial),
  };
}

/** The model may choose the highest. */
const readQuality = (quality: ImagesRequest['quality']): Quality =>
  quality === 'low' || quality === 'medium' ? quality : 'high';

function outputTokens(quality: Quality, width: number, height: number): number {
  const long = SIDE_OF[quality];
  const short = Math.round((long * Math.min(width, height)) / Math.max(width, height));
  return Math.ceil((long * short * (2_000_000 + width * height)) / 4_000_000);
}

export function countInputImages({ images, image, mask }: Json): number {
  const given = Array.isArray(images) ? images : Array.isArray(image) ? image : [];
  return given.length === 0 ? 0 : given.length + (mask ? 1 : 0);
}

function readSize(given: string | null | undefined): readonly [width: number, height: number] {
  const size = given == null || given === 'auto' ? DEFAULT_SIZE : given;
  const [width = 0, height = 0] = size.split('x').map(Number);
  if (!isWithinBounds(width, height))
    throw refuse(
      'size',
      `must have sides that are multiples of ${STEP}, at most ${LONGEST_SIDE} and at most ${WIDEST} times each other, and ${LEAST_PIXELS} to ${MOST_PIXELS} pixels`,
    );
  return [width, height];
}

function isWithinBounds(width: number, height: number): boolean {
  const [short, long] = width < height ? [width, height] : [height, width];
  const pixels = width * height;
  const fitsSteps = width % STEP === 0 && height % STEP === 0;
  return (
    fitsSteps &&
    long <= LONGEST_SIDE &&
    long <= WIDEST * short &&
    pixels >= LEAST_PIXELS &&
    pixels <= MOST_PIXELS
  );
}
