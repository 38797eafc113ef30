import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nowDate } from '../server/clock';
import type { ProviderName } from '../server/endpoints';
import { modelSchema } from '../server/pricing/catalog-schema';
import { buildModel, type CatalogEntry } from './catalog/build-model';
import { formatJson } from './catalog/format-json';
import { findGenaiPrices, genaiModels, genaiPricesVersion } from './catalog/genai-prices';
import { type ModelsDev, readModelsDev } from './catalog/models-dev';
import { matchesPattern, newestDate, type Overrides, readOverrides } from './catalog/overrides';
import { SOURCE_NAMES } from './catalog/selection';

/** `npm run catalog` writes server/pricing/catalog.json from its sources. How: docs/catalogue.md. */

const CATALOG = 'server/pricing/catalog.json';
const OVERRIDES = 'server/pricing/overrides.json';
const USAGE =
  'Usage: npm run catalog -- --models-dev FILE_OR_URL [--models-dev-date DATE] [--genai-prices-date DATE]';

type Source = { name: string; version?: string; licence?: string; asOf: string };
type CatalogJson = { sources: Source[]; models: CatalogEntry[] };
type Sources = {
  modelsDev: ModelsDev;
  overrides: Overrides;
  before: Map<string, CatalogEntry>;
  dates: Dates;
  today: string;
};
type Dates = { modelsDev: string; genaiPrices: string };

const { values: options } = parseArgs({
  options: {
    'models-dev': { type: 'string' },
    'models-dev-date': { type: 'string' },
    'genai-prices-date': { type: 'string' },
  },
});
const location = options['models-dev'];
if (location === undefined) stop(USAGE);

const previous = existsSync(CATALOG) ? (JSON.parse(readFileSync(CATALOG, 'utf8')) as CatalogJson) : undefined;
const modelsDev = await readModelsDev(location);
const overrides = readOverrides(OVERRIDES);
const version = genaiPricesVersion();
const dates = findDates();
const sources: Source[] = [
  { name: 'models.dev', licence: 'MIT', asOf: dates.modelsDev },
  { name: '@pydantic/genai-prices', version, licence: 'MIT', asOf: dates.genaiPrices },
  { name: 'overrides.json', asOf: newestDate(overrides) },
];
const today =
  sources
    .map(({ asOf }) => asOf)
    .sort()
    .at(-1) ?? '';
const { models, differences, leftOut } = buildAll({
  modelsDev,
  overrides,
  before: new Map((previous?.models ?? []).map((model) => [model.id, model])),
  dates,
  today,
});
for (const model of models) modelSchema.parse(model);
writeFileSync(CATALOG, `${formatJson({ sources, units: 'USD per million tokens', models })}\n`);
report();

function buildAll(from: Sources) {
  const result = {
    models: [] as CatalogEntry[],
    differences: [] as string[],
    leftOut: new Map<string, string[]>(),
  };
  for (const provider of Object.keys(SOURCE_NAMES) as ProviderName[]) {
    const known = from.modelsDev.find(SOURCE_NAMES[provider].modelsDev);
    for (const model of listModels(provider, known.keys(), from.overrides)) {
      const id = `${provider}/${model}`;
      const excluded = from.overrides.leftOut.find(({ ids }) =>
        ids.some((pattern) => matchesPattern(pattern, id)),
      );
      const built = excluded
        ? { leftOut: excluded.note ?? excluded.source }
        : buildModel({
            provider,
            model,
            modelsDev: known.get(model),
            genaiPrices: findGenaiPrices(SOURCE_NAMES[provider].genaiPrices, model, from.today),
            override: from.overrides.models.find((override) => override.id === id)?.set,
            before: from.before.get(id),
            dates: from.dates,
          });
      if ('leftOut' in built) {
        if (built.leftOut !== null)
          result.leftOut.set(built.leftOut, [...(result.leftOut.get(built.leftOut) ?? []), id]);
        continue;
      }
      result.models.push(built.entry);
      result.differences.push(...built.differences);
    }
  }
  result.models.sort((a, b) => (a.id < b.id ? -1 : 1));
  addFallbacks(result.models, from.overrides);
  return result;
}

/** Every model that a source or an override names; of OpenRouter's hundreds, only those with limits. */
function listModels(provider: ProviderName, known: Iterable<string>, { models }: Overrides): string[] {
  const prefix = `${provider}/`;
  const overridden = models.flatMap(({ id }) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : []));
  const priced = provider === 'openrouter' ? [] : genaiModels(SOURCE_NAMES[provider].genaiPrices);
  return [...new Set([...known, ...overridden, ...priced])].sort();
}

/** Each of the ids falls back to those after it. */
function addFallbacks(all: CatalogEntry[], { fallbacks }: Overrides): void {
  for (const { ids } of fallbacks) {
    for (const [i, id] of ids.entries()) {
      const model = all.find((some) => some.id === id);
      if (model === undefined) stop(`${OVERRIDES}: fallbacks: there is no model ${id}`);
      const rest = ids.slice(i + 1);
      if (rest.length > 0) model.fallbacks = rest;
    }
  }
}

function findDates(): Dates {
  const fetchedToday = /^https?:/.test(location ?? '') ? nowDate().toISOString().slice(0, 10) : undefined;
  const ofModelsDev = options['models-dev-date'] ?? modelsDev.asOf ?? fetchedToday;
  if (ofModelsDev === undefined) stop('--models-dev-date: the file does not say of which day it is');
  const ofGenaiPrices =
    options['genai-prices-date'] ?? previous?.sources.find((source) => source.version === version)?.asOf;
  if (ofGenaiPrices === undefined) {
    stop(`--genai-prices-date: the day on which @pydantic/genai-prices ${version} was published`);
  }
  return { modelsDev: ofModelsDev, genaiPrices: ofGenaiPrices };
}

function report(): void {
  const counts = Object.keys(SOURCE_NAMES).map(
    (provider) => `${provider} ${models.filter(({ id }) => id.startsWith(`${provider}/`)).length}`,
  );
  for (const [reason, ids] of leftOut)
    console.log(`Left out, ${reason} (${ids.length}): ${ids.join(', ')}\n`);
  console.log(
    `The sources differ, the higher price applies until an override settles it (${differences.length}):\n${indent(differences)}\n`,
  );
  const before = new Map((previous?.models ?? []).map((model) => [model.id, JSON.stringify(model)]));
  const added = models.filter(({ id }) => !before.has(id)).length;
  const changed = models.filter(
    (model) => before.has(model.id) && before.get(model.id) !== JSON.stringify(model),
  ).length;
  const removed = [...before.keys()].filter((id) => !models.some((model) => model.id === id)).length;
  console.log(
    `${CATALOG}: ${models.length} models (${counts.join(', ')}); ${added} added, ${changed} changed, ${removed} removed.`,
  );
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}
