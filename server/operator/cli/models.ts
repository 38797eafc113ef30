import { type CatalogModel, catalogModels } from '../../gateway/pricing/catalog';
import { checkCatalog } from '../../gateway/pricing/check-catalog';
import type { ListPrices } from '../../gateway/pricing/list-price';
import { DEFAULT_MAX_AGE_DAYS, readMaxAgeDays } from '../../gateway/pricing/max-age';
import { describePeakHours } from '../../gateway/pricing/peak-hours';
import {
  listPriceAges,
  listPriceDisagreements,
  listToolPriceAges,
  type ProviderPriceAge,
  type ToolPriceAge,
} from '../../gateway/pricing/price-age';
import { isConfigured } from '../../gateway/pricing/served';
import { describeUnitPrices } from '../../gateway/pricing/unit-words';
import { type Command, type CommandInput, CommandRefused, type Outcome } from './command';
import { alignColumns } from './output';

export const modelCommands: Readonly<Record<string, Command>> = {
  'models list': {
    usage: 'models list',
    summary: 'list the catalogue, in USD per million tokens, and which models are served',
    needs: 'nothing',
    run: list,
  },
  'models check': {
    usage: 'models check [--max-age-days N]',
    summary: 'validate the catalogue, including CATALOG_FILE, and show how old its prices are',
    options: { 'max-age-days': 'text' },
    needs: 'nothing',
    run: check,
  },
};

const HEADINGS = [
  'model',
  'input',
  'output',
  'cached',
  'searches',
  'units',
  'context',
  'max output',
  'served',
];

async function list(): Promise<Outcome> {
  const models = catalogModels();
  const served = models.filter(isConfigured);
  const rows = models.map((model) => [
    model.id,
    model.listPrices.input + (model.listPrices.tiers.length > 0 ? '+' : ''),
    model.listPrices.output,
    model.listPrices.cacheRead,
    model.listPrices.webSearch ?? '',
    describeUnitPrices(model.prices).join(', '),
    String(model.contextWindow),
    String(model.maxOutputTokens),
    isConfigured(model) ? 'yes' : 'no',
  ]);
  const legend = `${models.length} models, ${served.length} served because their provider has a key. + marks a price that increases with prompt length. Searches are in USD per 1,000.`;
  return { json: models.map(toJson), text: `${alignColumns([HEADINGS, ...rows])}\n\n${legend}` };
}

function toJson(model: CatalogModel): object {
  const { tiers, webSearch, inputUnit, outputUnit, resolutions, ...base } = model.listPrices;
  return {
    id: model.id,
    name: model.name,
    type: model.type,
    served: isConfigured(model),
    context_window: model.contextWindow,
    max_tokens: model.maxOutputTokens,
    price_version: model.priceVersion,
    pricing: {
      ...toWire(base),
      ...(webSearch !== undefined && { web_search_per_thousand: webSearch }),
      ...(inputUnit && { input_unit: inputUnit }),
      ...(outputUnit && { output_unit: outputUnit }),
      ...(resolutions && { resolutions }),
      tiers: tiers.map(({ above, ...prices }) => ({ above_prompt_tokens: above, ...toWire(prices) })),
      ...(model.offPeak && {
        off_peak: { ...toWire(model.offPeak.listPrices), peak_hours: describePeakHours(model.offPeak.peak) },
      }),
    },
  };
}

function toWire({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: ListPrices): object {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite5m, cache_write_1h: cacheWrite1h };
}

async function check(input: CommandInput): Promise<Outcome> {
  const maxAgeDays = readMaxAge(input);
  const { length } = catalogModels();
  const ages = listPriceAges(maxAgeDays);
  const toolAges = listToolPriceAges(maxAgeDays);
  const problems = [
    ...checkCatalog(),
    ...ages.flatMap((age) => describeOld(age, maxAgeDays)),
    ...toolAges.flatMap((age) => describeOldTool(age, maxAgeDays)),
  ];
  const hasProblem = problems.length > 0;
  const disagreements = listPriceDisagreements();
  return {
    json: {
      ok: !hasProblem,
      models: length,
      problems,
      price_ages: ages.map(({ provider, served, models, pricedAt, ageDays, old }) => ({
        provider,
        served,
        models,
        oldest_price: pricedAt,
        age_days: ageDays,
        old_models: old,
      })),
      tool_price_ages: toolAges.map(({ provider, tool, served, models, pricedAt, ageDays, isOld }) => ({
        provider,
        tool,
        served,
        models,
        price_date: pricedAt,
        age_days: ageDays,
        old: isOld,
      })),
      disagreements,
    },
    text: [
      hasProblem ? problems.join('\n') : `The catalogue is valid: ${length} models.`,
      alignColumns([AGE_HEADINGS, ...ages.map(writeAge), ...toolAges.map(writeToolAge)]),
      ...(disagreements.length === 0
        ? []
        : [`The sources differ on ${disagreements.length} prices:\n${disagreements.join('\n')}`]),
    ].join('\n\n'),
    hasProblem,
  };
}

function readMaxAge(input: CommandInput): number {
  const days = readMaxAgeDays(input.find('max-age-days') ?? String(DEFAULT_MAX_AGE_DAYS));
  if (days === null) throw new CommandRefused('--max-age-days: expected a number of days such as 45');
  return days;
}

/** The prices of a provider without a key are charged to nobody. */
function describeOld({ provider, served, old }: ProviderPriceAge, maxAgeDays: number): string[] {
  if (!served || old.length === 0) return [];
  return [`${provider}: ${old.length} prices are older than ${maxAgeDays} days: ${old.join(', ')}`];
}

function describeOldTool({ provider, tool, served, isOld }: ToolPriceAge, maxAgeDays: number): string[] {
  return served && isOld ? [`${provider}: the price of a ${tool} is older than ${maxAgeDays} days`] : [];
}

const AGE_HEADINGS = ['provider', 'models', 'served', 'oldest price', 'days old'];

function writeAge({ provider, models, served, pricedAt, ageDays }: ProviderPriceAge): string[] {
  return [provider, String(models), served ? 'yes' : 'no', pricedAt, String(ageDays)];
}

const writeToolAge = ({ provider, tool, ...age }: ToolPriceAge): string[] =>
  writeAge({ provider: `${provider}: ${tool}`, old: [], ...age });
