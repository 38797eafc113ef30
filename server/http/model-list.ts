import type { CatalogModel } from '../pricing/catalog';
import type { ListPrices } from '../pricing/list-price';

/** `type` says what a model is; clients of the messages format want their constant there. */
type ModelType = 'language' | 'model';

export function modelTypeFor(request: Request): ModelType {
  return request.headers.has('anthropic-version') ? 'model' : 'language';
}

/** The answer differs by that header, should anything on the way keep it. */
export const MODEL_HEADERS = { vary: 'anthropic-version' };

/** One body that the official clients of both formats parse. */
export function writeModelList(models: CatalogModel[], type: ModelType): object {
  return {
    object: 'list',
    data: models.map((model) => writeModel(model, type)),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

export function writeModel(model: CatalogModel, type: ModelType): object {
  const releasedMs = Date.parse(model.released);
  return {
    id: model.id,
    object: 'model',
    name: model.name,
    display_name: model.name,
    type,
    created: releasedMs / 1000,
    created_at: new Date(releasedMs).toISOString(),
    owned_by: model.provider,
    context_window: model.contextWindow,
    max_tokens: model.maxOutputTokens,
    capabilities: model.capabilities,
    pricing: writePricing(model.listPrices),
  };
}

/** USD per million tokens; a tier holds for the whole request once its prompt is longer than that. */
function writePricing({ tiers, ...base }: CatalogModel['listPrices']): object {
  return {
    ...writePrices(base),
    tiers: tiers.map(({ above, ...prices }) => ({ above_prompt_tokens: above, ...writePrices(prices) })),
  };
}

function writePrices(prices: ListPrices): object {
  return {
    input: Number(prices.input),
    output: Number(prices.output),
    cache_read: Number(prices.cacheRead),
    cache_write: Number(prices.cacheWrite5m),
    cache_write_1h: Number(prices.cacheWrite1h),
  };
}
