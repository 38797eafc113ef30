import { z } from 'zod';
import { DATA_RULES } from '../../base/data-rules';
import { MODEL_TYPES, RESOLUTIONS, type Resolution, UNIT_KINDS } from '../protocols/neutral';
import { fillCacheClasses, LIST_PRICE, type ListPrices, priceText, readListPrice } from './list-price';
import { PEAK_HOURS } from './peak-hours';

/** The shape of `catalog.json`, `sandbox-models.json` and the operator's CATALOG_FILE. */

export const CAPABILITIES = ['json', 'pdf', 'reasoning', 'sampling', 'tools', 'vision'] as const;
export type Capability = (typeof CAPABILITIES)[number];

const price = z
  .string({ error: 'decimal text such as "1.25"' })
  .regex(LIST_PRICE, { error: 'USD per million tokens such as "1.25"' });
const positivePrice = price.refine((text) => /[1-9]/.test(text), { error: 'a price above zero' });
const tokens = z.int({ error: 'a whole number of tokens' }).positive({ error: 'above zero' });

const priceFields = {
  input: positivePrice,
  output: price.default('0'),
  cacheRead: price.optional(),
  cacheWrite5m: price.optional(),
  cacheWrite1h: price.optional(),
};

const tierSchema = z
  .strictObject({ ...priceFields, above: tokens })
  .transform(({ above, ...given }) => ({ above, ...fillCacheClasses(given) }));

const CLASSES = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const;

const peakHoursSchema = z.strictObject({
  hours: z.array(z.string().regex(PEAK_HOURS, { error: 'UTC hours such as "01:00-04:00"' })).min(1),
  days: z.array(z.int().min(1).max(7)).min(1).default([1, 2, 3, 4, 5, 6, 7]),
  holidays: z.array(z.iso.date()).default([]),
  /** The last day whose holidays are known. */
  holidaysUntil: z.iso.date().optional(),
});

/** The price outside the peak hours. */
const offPeakSchema = z
  .strictObject({ ...priceFields, peak: peakHoursSchema })
  .transform(({ peak, ...given }) => ({ peak, ...fillCacheClasses(given) }));

/** What a price counts besides text tokens: USD for `per` of them. */
const unitPriceSchema = z.strictObject({
  kind: z.enum(UNIT_KINDS, { error: `one of ${UNIT_KINDS.join(', ')}` }),
  price: priceText,
  per: z.int({ error: 'a whole number of units' }).positive({ error: 'above zero' }).default(1),
});

export const pricesSchema = z
  .strictObject({
    ...priceFields,
    /** Zero only where something else is counted, and where nothing costs anything. */
    input: price.default('0'),
    from: z.iso.date({ error: 'a date such as 2026-11-21' }).default('2000-01-01'),
    automaticCacheWrites: z.boolean().default(false),
    /** USD per 1,000 web searches, where the provider runs them. */
    webSearch: priceText.optional(),
    inputUnit: unitPriceSchema.optional(),
    outputUnit: unitPriceSchema.optional(),
    /** What `outputUnit` costs at each resolution that the model has; that itself is the most expensive. */
    resolutions: z.partialRecord(z.enum(RESOLUTIONS), priceText).optional(),
    tiers: z.array(tierSchema).default([]),
    offPeak: offPeakSchema.optional(),
  })
  .refine(({ tiers }) => tiers.every(({ above }, i) => above > (tiers[i - 1]?.above ?? 0)), {
    error: 'tiers in ascending order',
    path: ['tiers'],
  })
  .transform(
    ({
      from,
      automaticCacheWrites,
      webSearch,
      inputUnit,
      outputUnit,
      resolutions,
      tiers,
      offPeak,
      ...given
    }) => ({
      from,
      automaticCacheWrites,
      ...fillCacheClasses(given),
      tiers,
      ...(webSearch !== undefined && { webSearch }),
      ...(inputUnit && { inputUnit }),
      ...(outputUnit && { outputUnit }),
      ...(resolutions && { resolutions }),
      ...(offPeak && { offPeak }),
    }),
  )
  // A hold is made at the peak price, which must therefore be the most that any hour costs.
  .refine(({ tiers, offPeak, ...peak }) => !offPeak || (tiers.length === 0 && isAtMost(offPeak, peak)), {
    error: 'off-peak prices that are at most the peak prices, which have no tiers',
    path: ['offPeak'],
  })
  .refine(({ outputUnit, resolutions }) => !resolutions || isMost(outputUnit?.price, resolutions), {
    error: 'prices of which "outputUnit" has the highest',
    path: ['resolutions'],
  })
  // A hold counts the tokens of each second, at this resolution.
  .refine(({ outputUnit, resolutions }) => outputUnit?.kind !== 'video_token' || isOnly720p(resolutions), {
    error: 'only "720p": the video tokens per second of other resolutions are not known',
    path: ['resolutions'],
  });

const isOnly720p = (resolutions: Partial<Record<Resolution, string>> = {}): boolean =>
  Object.keys(resolutions).join() === '720p';

const isMost = (price: string | undefined, resolutions: Partial<Record<Resolution, string>>): boolean =>
  price !== undefined &&
  Object.values(resolutions).every((one) => readListPrice(one) <= readListPrice(price));

function isAtMost(one: ListPrices, other: ListPrices): boolean {
  return CLASSES.every((name) => readListPrice(one[name]) <= readListPrice(other[name]));
}

export type DatedPrices = z.output<typeof pricesSchema>;

/** The provider's name, followed by the exact name of the model at that provider. */
const modelId = z.string().regex(/^[a-z][a-z0-9-]*\/[\w.:/@-]+$/, { error: 'an id such as acme/large-2' });

export const modelSchema = z
  .strictObject({
    id: modelId,
    /** The provider's name for the model, if it is not the part of the id after the first slash. */
    upstreamModel: z.string().min(1).optional(),
    name: z.string().min(1),
    released: z.string().regex(/^\d{4}-\d{2}(-\d{2})?$/, { error: 'a date such as 2026-11-21' }),
    type: z.enum(MODEL_TYPES, { error: `one of ${MODEL_TYPES.join(', ')}` }).default('language'),
    /** Of an embedding model: the most tokens of one input. OCR models have none. */
    contextWindow: tokens.optional(),
    maxOutputTokens: tokens.optional(),
    capabilities: z.array(z.enum(CAPABILITIES)),
    /** Ids of the same model at other providers, tried in this order when this one fails. */
    fallbacks: z.array(modelId).default([]),
    /** The sources that confirm the price, as in `sources`; an override with its date. */
    pricedBy: z.array(z.string()).optional(),
    prices: z
      .array(pricesSchema)
      .min(1)
      .refine((list) => list.every(({ from }, i) => from > (list[i - 1]?.from ?? '')), {
        error: 'prices in the order of their dates',
      }),
  })
  .refine(({ type, maxOutputTokens }) => type !== 'language' || maxOutputTokens !== undefined, {
    error: 'a whole number of tokens',
    path: ['maxOutputTokens'],
  })
  .refine(({ type, contextWindow }) => type === 'ocr' || contextWindow !== undefined, {
    error: 'a whole number of tokens',
    path: ['contextWindow'],
  })
  .refine(({ contextWindow = 0, maxOutputTokens = 0 }) => maxOutputTokens <= contextWindow, {
    error: 'at most the size of the context window',
    path: ['maxOutputTokens'],
  })
  .refine(({ type, prices }) => type !== 'language' || prices.every(hasOutputPrice), {
    error: 'a price above zero for "output" of a language model',
    path: ['prices'],
  })
  .refine(({ type, prices }) => type === 'moderation' || prices.every(isPriced), {
    error: 'a price above zero for "input", "inputUnit" or "outputUnit"',
    path: ['prices'],
  })
  // The audit recognises by its provider that another model served a request.
  .refine(({ id, fallbacks }) => fallbacks.every((fallback) => providerOf(fallback) !== providerOf(id)), {
    error: 'ids of models at other providers',
    path: ['fallbacks'],
  });

const hasOutputPrice = ({ tiers, offPeak, ...base }: DatedPrices): boolean =>
  [base, ...tiers, ...(offPeak ? [offPeak] : [])].every(({ output }) => readListPrice(output) > 0n);

/** Whether anything costs something. Only moderation is free. */
export const isPriced = ({
  input,
  inputUnit,
  outputUnit,
}: Pick<DatedPrices, 'input' | 'inputUnit' | 'outputUnit'>): boolean =>
  [input, inputUnit?.price, outputUnit?.price].some((price = '0') => readListPrice(price) > 0n);

const providerOf = (id: string): string => id.slice(0, id.indexOf('/'));

export type ModelEntry = z.output<typeof modelSchema>;

const statement = z.string().trim().min(1).max(200, { error: 'at most 200 characters' });

export const providerSchema = z.strictObject({
  format: z.enum(['openai', 'anthropic'], { error: '"openai" or "anthropic"' }),
  baseUrl: z.url({ protocol: /^https?$/, error: 'an http(s) URL such as http://127.0.0.1:8000/v1' }),
  /** The name of the environment variable that contains the key. A self-hosted server may not need one. */
  keyVariable: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, { error: 'the name of an environment variable such as ACME_API_KEY' })
    .optional(),
  /** What users read about the content of their requests there: how long it is retained, and so on. */
  dataPolicy: z
    .strictObject({
      retention: statement.optional(),
      training: statement.optional(),
      region: statement.optional(),
      /** The data rules that it meets. */
      rules: z.array(z.enum(DATA_RULES, { error: `one of ${DATA_RULES.join(', ')}` })).optional(),
    })
    .optional(),
});

export type OwnProvider = z.output<typeof providerSchema>;
