import { type CatalogModel, catalogModels } from '../pricing/catalog';
import { checkCatalog } from '../pricing/check-catalog';
import type { ListPrices } from '../pricing/list-price';
import { isConfigured } from '../pricing/served';
import type { Command, Outcome } from './command';
import { alignColumns } from './output';

export const modelCommands: Readonly<Record<string, Command>> = {
  'models list': {
    usage: 'models list',
    summary: 'list the catalogue, in USD per million tokens, and which models are served',
    needs: 'nothing',
    run: list,
  },
  'models check': {
    usage: 'models check',
    summary: 'validate the catalogue, including CATALOG_FILE',
    needs: 'nothing',
    run: check,
  },
};

const HEADINGS = ['model', 'input', 'output', 'cached', 'context', 'max output', 'served'];

async function list(): Promise<Outcome> {
  const models = catalogModels();
  const served = models.filter(isConfigured);
  const rows = models.map((model) => [
    model.id,
    model.listPrices.input + (model.listPrices.tiers.length > 0 ? '+' : ''),
    model.listPrices.output,
    model.listPrices.cacheRead,
    String(model.contextWindow),
    String(model.maxOutputTokens),
    isConfigured(model) ? 'yes' : 'no',
  ]);
  const legend = `${models.length} models, ${served.length} served because their provider has a key. + marks a price that increases with prompt length.`;
  return { json: models.map(toJson), text: `${alignColumns([HEADINGS, ...rows])}\n\n${legend}` };
}

function toJson(model: CatalogModel): object {
  const { tiers, ...base } = model.listPrices;
  return {
    id: model.id,
    name: model.name,
    served: isConfigured(model),
    context_window: model.contextWindow,
    max_tokens: model.maxOutputTokens,
    price_version: model.priceVersion,
    pricing: {
      ...toWire(base),
      tiers: tiers.map(({ above, ...prices }) => ({ above_prompt_tokens: above, ...toWire(prices) })),
    },
  };
}

function toWire({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: ListPrices): object {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite5m, cache_write_1h: cacheWrite1h };
}

async function check(): Promise<Outcome> {
  const { length } = catalogModels();
  const problems = checkCatalog();
  const hasProblem = problems.length > 0;
  return {
    json: { ok: !hasProblem, models: length, problems },
    text: hasProblem ? problems.join('\n') : `The catalogue is valid: ${length} models.`,
    hasProblem,
  };
}
