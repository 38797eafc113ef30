import type { CatalogModel } from '../pricing/catalog';

/** One body that the official clients of both formats parse. */
export function writeModelList(models: CatalogModel[]): object {
  return {
    object: 'list',
    data: models.map(writeModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

export function writeModel(model: CatalogModel): object {
  const { listPrices } = model;
  return {
    id: model.id,
    object: 'model',
    name: model.name,
    display_name: model.name,
    type: 'language',
    created: Date.parse(model.released) / 1000,
    owned_by: model.provider,
    context_window: model.contextWindow,
    max_tokens: model.maxOutputTokens,
    capabilities: { reasoning: model.reasoning },
    pricing: {
      input: Number(listPrices.input),
      output: Number(listPrices.output),
      cache_read: Number(listPrices.cacheRead),
      cache_write: Number(listPrices.cacheWrite),
    },
  };
}
