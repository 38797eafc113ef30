import type { Pixels, ShownImage, ShownMedia } from '../protocols/neutral';

/**
 * The number of tokens that an image counts as. Sources, November 2026: OpenAI's "Images and vision"
 * (developers.openai.com/api/docs/guides/images-vision), Anthropic's "Vision", Google's "Media resolution".
 * Where OpenAI's own pages disagree, the higher number is used, because a hold must be sufficient.
 */
type Rule =
  /** A base plus 512-pixel tiles, after scaling to fit 2048 pixels and a shorter side of 768. */
  | { kind: 'tiles'; base: number; perTile: number }
  /**
   * Patches of `side` pixels, scaled down to at most `most` of them. `rows` are further tokens for each row,
   * and `base` for each image.
   */
  | Patches
  /** 258 tokens for each crop that Google makes. */
  | { kind: 'crops' }
  | { kind: 'flat'; tokens: number };

const tiles = (base: number, perTile: number): Rule => ({ kind: 'tiles', base, perTile });
type Patches = {
  kind: 'patches';
  side: number;
  perPatch: number;
  most: number;
  rows?: number;
  base?: number;
};

const patches = (side: number, perPatch: number, most: number): Patches => ({
  kind: 'patches',
  side,
  perPatch,
  most,
});

/** Matched against the model name without the vendor; the first match applies. */
const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^gpt-4o-mini/, tiles(2_833, 5_667)],
  [/^gpt-4\.1-mini/, patches(32, 1.62, 6_144)],
  [/^gpt-4\.1-nano/, patches(32, 2.46, 6_144)],
  [/^gpt-4/, tiles(85, 170)],
  [/^o4-mini/, patches(32, 1.72, 6_144)],
  [/^o\d/, tiles(75, 150)],
  [/^gpt-5(\.4)?-mini/, patches(32, 1.62, 6_144)],
  [/^gpt-5(\.4)?-nano/, patches(32, 2.46, 6_144)],
  [/^gpt-5(\.1)?(-|$)/, tiles(70, 140)],
  [/^gpt-5\.[23]/, patches(32, 1.2, 6_144)],
  [/^gpt-5\.[45]/, patches(32, 1.2, 10_000)],
  [/^gpt-/, patches(32, 1.2, 30_000)],
  [/^claude-(3|(opus|sonnet|haiku)-4(?!-[78]))/, patches(28, 1, 1_600)],
  [/^claude-/, patches(28, 1, 4_784)],
  [/^gemini-[12]/, { kind: 'crops' }],
  [/^gemini-/, { kind: 'flat', tokens: 1_120 }],
  [/^qwen/i, patches(28, 1, 16_384)],
  // Mistral ends each row with a token. Pixtral scales to 1,024 pixels, its later models to 1,540.
  [/^pixtral-12b/, { ...patches(16, 1, 4_096), rows: 64 }],
  [/^(pixtral|mistral|magistral|ministral)/, { ...patches(28, 1, 3_025), rows: 55 }],
  // Up to six tiles and one of the whole image, at 256 tokens each. The size at which xAI tiles is not published.
  [/^grok/, { kind: 'flat', tokens: 1_792 }],
];
const OTHERS: Rule = { ...patches(28, 1, 4_096), base: 512 };

/** A photo of unknown size, such as one referenced by URL. */
const LIKELY_IMAGE: Pixels = { width: 1_024, height: 1_024 };
/** An image of the size with the highest count under every rule. */
const LARGEST_IMAGE: Pixels = { width: 12_000, height: 4_500 };
const UNKNOWN_IMAGE: ShownImage = { size: null, isLowDetail: false };
const MAX_CROPS = 96;
/** A page counts as an image plus its text. */
const PAGE: ShownImage = { size: { width: 1_024, height: 1_448 }, isLowDetail: false };
/** A provider may render a large page in more detail, up to this. */
const LARGEST_PAGE = 4_784;
/** Text that the provider adds to a page, such as its number. */
const TOKENS_PER_PAGE = 50;
/** The bound counts a token per byte of text. */
const LARGEST_TO_LIKELY_TEXT = 3;
/** The likely text of a page whose document could not be read. */
const LIKELY_TEXT_PER_PAGE = 1_500;

type Model = { upstreamModel: string; contextWindow: number };
/** Recordings are not counted in tokens of text. */
type Seen = Omit<ShownMedia, 'recordings'>;

/**
 * The maximum token count of a request's media, for a hold. A document that cannot be read may fill the
 * context window; a provider refuses, and does not bill, more than that.
 */
export function largestMediaTokens(media: Seen, model: Model): number {
  const rule = ruleOf(model, media);
  if (rule === null) return 0;
  const page = Math.max(
    imageTokens(rule, PAGE, LARGEST_IMAGE),
    Math.min(LARGEST_PAGE, imageTokens(rule, UNKNOWN_IMAGE, LARGEST_IMAGE)),
  );
  const ofPages = media.pages * (TOKENS_PER_PAGE + page) + media.documentTokens;
  return imagesTokens(rule, media, LARGEST_IMAGE) + Math.min(model.contextWindow, Math.ceil(ofPages));
}

/** The likely token count, for a charge without reported usage. */
export function likelyMediaTokens(media: Seen, model: Model): number {
  const rule = ruleOf(model, media);
  if (rule === null) return 0;
  const { pages, documentTokens } = media;
  const text = Number.isFinite(documentTokens)
    ? documentTokens / LARGEST_TO_LIKELY_TEXT
    : pages * LIKELY_TEXT_PER_PAGE;
  const ofPages = pages * imageTokens(rule, PAGE, LIKELY_IMAGE) + text;
  return imagesTokens(rule, media, LIKELY_IMAGE) + Math.min(model.contextWindow, Math.ceil(ofPages));
}

const imagesTokens = (rule: Rule, { images }: Seen, unknown: Pixels): number =>
  images.reduce((sum, image) => sum + imageTokens(rule, image, unknown), 0);

/** Null when there is nothing to count. */
function ruleOf({ upstreamModel }: Model, { images, pages }: Seen): Rule | null {
  if (images.length === 0 && pages === 0) return null;
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  return RULES.find(([names]) => names.test(name))?.[1] ?? OTHERS;
}

function imageTokens(rule: Rule, { size, isLowDetail }: ShownImage, unknown: Pixels): number {
  const pixels = size ?? unknown;
  switch (rule.kind) {
    case 'tiles':
      return rule.base + (isLowDetail ? 0 : rule.perTile * countTiles(pixels));
    case 'patches': {
      const { side, perPatch, most, rows = 0, base = 0 } = rule;
      const ofRows = Math.min(rows, Math.ceil(pixels.height / side));
      return base + ofRows + Math.ceil(perPatch * Math.min(most, countSquares(pixels, side)));
    }
    case 'crops':
      return 258 * countCrops(pixels);
    case 'flat':
      return rule.tokens;
  }
}

const countSquares = ({ width, height }: Pixels, side: number): number =>
  Math.ceil(width / side) * Math.ceil(height / side);

function countTiles({ width, height }: Pixels): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (fit * Math.min(width, height)));
  return countSquares({ width: Math.floor(width * scale), height: Math.floor(height * scale) }, 512);
}

/** A small image is one crop. For others, the shorter side determines the crop size. */
function countCrops({ width, height }: Pixels): number {
  if (width <= 384 && height <= 384) return 1;
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return Math.min(MAX_CROPS, countSquares({ width, height }, side));
}
