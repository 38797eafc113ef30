import { z } from 'zod';
import { DATA_RULES, type DataRule, readRules } from '../base/data-rules';
import { type CatalogModel, hasAudio } from '../gateway/pricing/catalog';
import { CAPABILITIES } from '../gateway/pricing/catalog-schema';
import {
  type ListPrices,
  type ListUnitPrice,
  perCallPrice,
  perTokenPrice,
  readUnitPrice,
  writeUnitPrice,
} from '../gateway/pricing/list-price';
import { rulesOf } from '../gateway/pricing/met-rules';
import {
  MODEL_TYPES,
  type ModelType,
  RESOLUTIONS,
  type Resolution,
  UNIT_KINDS,
} from '../gateway/protocols/neutral';
import { supportedParameters } from '../gateway/run/supported-parameters';

/** Clients of the messages format expect a constant. */
const MESSAGES_TYPE = 'model';

const prices = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  cache_write_1h: z.number(),
});

const unitPrice = z.object({ kind: z.enum(UNIT_KINDS), usd: z.string() });

const perToken = z.string().regex(/^\d+(\.\d+)?$/);

export const listedModelSchema = z.object({
  id: z.string().meta({ description: '`<provider>/<model>`: the id to use in requests.' }),
  object: z.literal('model'),
  name: z.string(),
  display_name: z.string(),
  type: z.enum([...MODEL_TYPES, MESSAGES_TYPE]).meta({
    description:
      'What the model makes, which decides its endpoint; always `model` when the `anthropic-version` header is sent.',
  }),
  created: z.int().meta({ description: 'Unix seconds.' }),
  created_at: z.iso.datetime(),
  owned_by: z.string(),
  context_window: z.int(),
  max_tokens: z
    .int()
    .meta({ description: 'The maximum number of output tokens; 0 for a model that produces no text.' }),
  context_length: z.int().meta({ description: 'The same as `context_window`.' }),
  architecture: z.object({
    modality: z.string().meta({ description: 'Such as `text+image->text` or `audio->text`.' }),
    input_modalities: z.array(z.enum(['text', 'image', 'file', 'audio'])),
    output_modalities: z.array(z.enum(['text', 'embeddings', 'image', 'audio', 'rerank', 'video'])),
  }),
  top_provider: z.object({
    context_length: z.int(),
    max_completion_tokens: z.int().nullable(),
    is_moderated: z.boolean(),
  }),
  supported_parameters: z.array(z.string()).meta({
    description:
      'Parameters of the chat format, or of the endpoint of the type, that reach the model. Others are dropped, and `x-svc-warnings` names them.',
  }),
  capabilities: z.record(z.enum(CAPABILITIES), z.boolean()),
  data_rules: z.array(z.enum(DATA_RULES)).meta({
    description:
      'The data rules that the provider meets, as far as it says so or the operator has agreed it.',
  }),
  pricing: prices
    .extend({
      prompt: perToken,
      completion: perToken,
      input_cache_read: perToken,
      input_cache_write: perToken,
      web_search: perToken
        .optional()
        .meta({ description: 'Per search, for models whose provider searches the web.' }),
      input_unit: unitPrice.optional().meta({
        description: 'What else is counted in the input, such as seconds of audio, for models priced by it.',
      }),
      resolutions: z.partialRecord(z.enum(RESOLUTIONS), z.string()).optional().meta({
        description:
          'What `output_unit` costs at each resolution, for videos priced by it. That itself is the highest.',
      }),
      output_unit: unitPrice.optional().meta({ description: 'The same of the output, such as images.' }),
      tiers: z
        .array(prices.extend({ above_prompt_tokens: z.int() }))
        .meta({ description: 'Applies to the whole request when its prompt has more tokens than this.' }),
      off_peak: prices
        .extend({
          peak_hours_utc: z.array(z.string()).meta({ description: 'Such as `01:00-04:00`.' }),
          peak_days: z.array(z.int()).meta({ description: '1 is Monday, 7 is Sunday.' }),
          peak_holidays: z.array(z.iso.date()).meta({ description: 'Dates without peak hours.' }),
        })
        .optional()
        .meta({
          description:
            'Only for models whose provider charges less outside peak hours. The other prices are then those of the peak, at which the hold is made; the end of the response decides which price is charged.',
        }),
    })
    .meta({
      description:
        'USD before the app’s commission: numbers are per million tokens, texts per token or call, in the names of OpenRouter.',
    }),
});

export const modelListSchema = z.object({
  object: z.literal('list'),
  data: z.array(listedModelSchema),
  has_more: z.literal(false),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

type ListedModel = z.output<typeof listedModelSchema>;

export const isMessagesClient = (request: Request): boolean => request.headers.has('anthropic-version');

const isDataRule = (name: string): boolean => DATA_RULES.some((rule) => rule === name);

export const modelQuerySchema = z.object({
  data_rules: z
    .string()
    .transform((text) => text.split(','))
    .refine((names): names is DataRule[] => names.every(isDataRule), {
      error: `must be some of ${DATA_RULES.join(', ')}, separated by commas`,
    })
    .default([])
    .meta({ description: 'Lists only models that meet all of these data rules, separated by commas.' }),
});

/** The response varies with that header, in case a cache stores it. */
export const MODEL_HEADERS = { vary: 'anthropic-version' };

/** One body that the official clients of both formats can parse. */
export function writeModelList(
  models: CatalogModel[],
  forMessages: boolean,
): z.output<typeof modelListSchema> {
  return {
    object: 'list',
    data: models.map((model) => writeModel(model, forMessages)),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

export function writeModel(model: CatalogModel, forMessages: boolean): ListedModel {
  const releasedMs = Date.parse(model.released);
  return {
    id: model.id,
    object: 'model',
    name: model.name,
    display_name: model.name,
    type: forMessages ? MESSAGES_TYPE : model.type,
    created: releasedMs / 1000,
    created_at: new Date(releasedMs).toISOString(),
    owned_by: model.provider,
    context_window: model.contextWindow,
    max_tokens: model.maxOutputTokens,
    context_length: model.contextWindow,
    architecture: writeArchitecture(model),
    top_provider: {
      context_length: model.contextWindow,
      max_completion_tokens: model.maxOutputTokens === 0 ? null : model.maxOutputTokens,
      is_moderated: false,
    },
    supported_parameters: supportedParameters(model),
    capabilities: model.capabilities,
    data_rules: readRules(rulesOf(model)),
    pricing: writePricing(model),
  };
}

type Modalities = ListedModel['architecture'];

const OUTPUT_OF: Readonly<Record<ModelType, Modalities['output_modalities'][number]>> = {
  language: 'text',
  embedding: 'embeddings',
  image: 'image',
  speech: 'audio',
  transcription: 'text',
  rerank: 'rerank',
  moderation: 'text',
  ocr: 'text',
  video: 'video',
  batch: 'text',
};

function writeArchitecture(model: CatalogModel): Modalities {
  const { type, capabilities, maxOutputTokens } = model;
  const speaks = hasAudio(model);
  const modalities: Modalities['input_modalities'] = [type === 'transcription' ? 'audio' : 'text'];
  if (capabilities.vision) modalities.push('image');
  if (capabilities.pdf) modalities.push('file');
  if (speaks) modalities.push('audio');
  const output = type === 'batch' && maxOutputTokens === 0 ? 'embeddings' : OUTPUT_OF[type];
  const outputs: Modalities['output_modalities'] = speaks ? [output, 'audio'] : [output];
  return {
    modality: `${modalities.join('+')}->${outputs.join('+')}`,
    input_modalities: modalities,
    output_modalities: outputs,
  };
}

function writePricing({ listPrices, offPeak }: CatalogModel): ListedModel['pricing'] {
  const { tiers, webSearch, inputUnit, outputUnit, resolutions, ...base } = listPrices;
  return {
    ...writePrices(base),
    prompt: perTokenPrice(base.input),
    completion: perTokenPrice(base.output),
    input_cache_read: perTokenPrice(base.cacheRead),
    input_cache_write: perTokenPrice(base.cacheWrite5m),
    ...(webSearch !== undefined && { web_search: perCallPrice(webSearch) }),
    ...(inputUnit && { input_unit: writeUnit(inputUnit) }),
    ...(outputUnit && { output_unit: writeUnit(outputUnit) }),
    ...(outputUnit && resolutions && { resolutions: writeResolutions(outputUnit, resolutions) }),
    tiers: tiers.map(({ above, ...prices }) => ({ above_prompt_tokens: above, ...writePrices(prices) })),
    ...(offPeak && {
      off_peak: {
        ...writePrices(offPeak.listPrices),
        peak_hours_utc: [...offPeak.peak.hours],
        peak_days: [...offPeak.peak.days],
        peak_holidays: [...offPeak.peak.holidays],
      },
    }),
  };
}

const writeUnit = (unit: ListUnitPrice) => ({ kind: unit.kind, usd: writeUnitPrice(readUnitPrice(unit)) });

/** Each of one unit, as `usd` is. */
const writeResolutions = (unit: ListUnitPrice, prices: Partial<Record<Resolution, string>>) =>
  Object.fromEntries(
    Object.entries(prices).map(([resolution, price]) => [resolution, writeUnit({ ...unit, price }).usd]),
  );

function writePrices(prices: ListPrices) {
  return {
    input: Number(prices.input),
    output: Number(prices.output),
    cache_read: Number(prices.cacheRead),
    cache_write: Number(prices.cacheWrite5m),
    cache_write_1h: Number(prices.cacheWrite1h),
  };
}
