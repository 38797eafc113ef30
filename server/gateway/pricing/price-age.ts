import { DAY_MS, now } from '../../base/clock';
import { type CatalogModel, catalogModels } from './catalog';
import catalogJson from './catalog.json';
import { isConfigured } from './served';
import { searchPrices } from './tool-prices';

/** How long ago a source confirmed the prices, and where the sources differ. */

export type ProviderPriceAge = {
  provider: string;
  served: boolean;
  models: number;
  /** The day of the oldest price. */
  pricedAt: string;
  ageDays: number;
  /** Models whose price is older than allowed. */
  old: string[];
};

/** The age of the price of a tool that runs at a provider. */
export type ToolPriceAge = {
  provider: string;
  tool: 'web search';
  served: boolean;
  /** How many models have the price. */
  models: number;
  pricedAt: string;
  ageDays: number;
  isOld: boolean;
};

/** The providers whose prices come from the catalogue's sources, oldest first. */
export function listPriceAges(maxAgeDays: number): ProviderPriceAge[] {
  const byProvider = new Map<string, (CatalogModel & { pricedAt: string })[]>();
  for (const model of catalogModels()) {
    if (model.pricedAt === null) continue;
    const models = byProvider.get(model.provider) ?? [];
    byProvider.set(model.provider, models);
    models.push({ ...model, pricedAt: model.pricedAt });
  }
  return [...byProvider]
    .map(([provider, models]) => summarise(provider, models, maxAgeDays))
    .sort((a, b) => b.ageDays - a.ageDays || (a.provider < b.provider ? -1 : 1));
}

function summarise(
  provider: string,
  models: readonly (CatalogModel & { pricedAt: string })[],
  maxAgeDays: number,
): ProviderPriceAge {
  const pricedAt = models.map((model) => model.pricedAt).reduce((a, b) => (a < b ? a : b));
  return {
    provider,
    served: models.some(isConfigured),
    models: models.length,
    pricedAt,
    ageDays: ageOf(pricedAt),
    old: models.filter((model) => ageOf(model.pricedAt) > maxAgeDays).map(({ id }) => id),
  };
}

/** The tools whose prices have a source, oldest first. */
export function listToolPriceAges(maxAgeDays: number): ToolPriceAge[] {
  return searchPrices
    .flatMap(({ provider, date: pricedAt }): ToolPriceAge[] => {
      if (pricedAt === undefined) return [];
      const models = catalogModels().filter(
        (model) => model.provider === provider && model.prices.webSearch !== undefined,
      );
      const ageDays = ageOf(pricedAt);
      return [
        {
          provider,
          tool: 'web search',
          served: models.some(isConfigured),
          models: models.length,
          pricedAt,
          ageDays,
          isOld: ageDays > maxAgeDays,
        },
      ];
    })
    .sort((a, b) => b.ageDays - a.ageDays);
}

const ageOf = (date: string): number => Math.floor((now() - Date.parse(date)) / DAY_MS);

/** Prices on which the sources differ and no override has decided, one per line. */
export const listPriceDisagreements = (): readonly string[] => catalogJson.disagreements;

/** Where the prices come from: name, version and date. */
export function listPriceSources(): { name: string; asOf: string }[] {
  return catalogJson.sources.map(
    ({ name, version, asOf }: { name: string; version?: string; asOf: string }) => ({
      name: version === undefined ? name : `${name} ${version}`,
      asOf,
    }),
  );
}
