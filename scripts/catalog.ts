import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DAY_MS, nowDate } from '../server/base/clock';
import { modelSchema } from '../server/gateway/pricing/catalog-schema';
import { DEFAULT_MAX_AGE_DAYS, readMaxAgeDays } from '../server/gateway/pricing/max-age';
import { buildModel, type CatalogEntry } from './catalog/build-model';
import { formatJson } from './catalog/format-json';
import { type GenaiPrices, readGenaiPrices } from './catalog/genai-prices';
import { type LiteLlm, readLiteLlm } from './catalog/litellm';
import { type ModelsDev, readModelsDev } from './catalog/models-dev';
import { matchesPattern, newestDate, type Overrides, readOverrides } from './catalog/overrides';
import { findVersion, readSource } from './catalog/read-source';
import { type ListedProvider, SOURCE_NAMES } from './catalog/selection';
import { readOptions } from './read-options.mjs';

/** `npm run catalog` writes server/gateway/pricing/catalog.json from its sources. How: docs/catalogue.md. */

const CATALOG = 'server/gateway/pricing/catalog.json';
const OVERRIDES = 'server/gateway/pricing/overrides.json';

type Source = { name: string; version?: string; licence?: string; asOf: string };
type CatalogJson = { sources: Source[]; models: CatalogEntry[] };
type Sources = { modelsDev: ModelsDev[]; genaiPrices: GenaiPrices; liteLlm: LiteLlm; list: Source[] };

const options = readOptions({
  'models-dev': { type: 'string', multiple: true, default: ['https://models.dev/api.json'] },
  'genai-prices': { type: 'string', default: 'pypi:genai-prices' },
  litellm: { type: 'string', default: 'pypi:litellm' },
  date: { type: 'string', multiple: true, default: [] },
  'max-age-days': { type: 'string', default: String(DEFAULT_MAX_AGE_DAYS) },
});
const maxAgeDays =
  readMaxAgeDays(options['max-age-days']) ?? stop('--max-age-days: expected a number of days');
const today = nowDate().toISOString().slice(0, 10);
const oldest = new Date(nowDate().getTime() - maxAgeDays * DAY_MS).toISOString().slice(0, 10);

const previous = existsSync(CATALOG) ? (JSON.parse(readFileSync(CATALOG, 'utf8')) as CatalogJson) : undefined;
const before = new Map((previous?.models ?? []).map((model) => [model.id, model]));
const overrides = readOverrides(OVERRIDES);
const sources = await readSources();
const dates = Object.fromEntries(sources.list.map(({ name, asOf }) => [name, asOf]));
const { models, differences, leftOut } = buildAll();
refuseOldDecisions();
for (const model of models) modelSchema.parse(model);
const list = [...sources.list, { name: 'overrides.json', asOf: newestDate(overrides) }];
writeFileSync(
  CATALOG,
  `${formatJson({ sources: list, units: 'USD per million tokens', models, disagreements: differences })}\n`,
);
report();

async function readSources(): Promise<Sources> {
  const modelsDev: ModelsDev[] = [];
  const found: Source[] = [];
  const add = (name: string, asOf: string | undefined, version?: string) =>
    found.push({ name, ...(version && { version }), licence: 'MIT', asOf: findDate(name, asOf) });
  for (const location of options['models-dev']) {
    const { parsed, asOf } = await readAs(location, readModelsDev);
    modelsDev.push(parsed);
    add(parsed.name, parsed.asOf ?? asOf);
  }
  const genai = await readAs(options['genai-prices'], readGenaiPrices);
  add('genai-prices', genai.asOf, genai.version);
  const lite = await readAs(options.litellm, readLiteLlm);
  add('litellm', lite.asOf, lite.version);
  if (!found.some(({ asOf }) => asOf >= oldest)) {
    stop(`Every source is older than ${maxAgeDays} days: ${found.map(writeSource).join(', ')}`);
  }
  return { modelsDev, genaiPrices: genai.parsed, liteLlm: lite.parsed, list: found };
}

async function readAs<Parsed>(location: string, parse: (bytes: Buffer) => Parsed) {
  try {
    const { bytes, asOf } = await readSource(location, today);
    return { parsed: parse(bytes), asOf, version: findVersion(bytes) };
  } catch (error) {
    return stop(`${location}: ${error instanceof Error ? error.message : error}`);
  }
}

function findDate(name: string, stated: string | undefined): string {
  const given = options.date.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? stated;
  if (given === undefined) stop(`--date ${name}=DATE: the day on which the source was published`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(given)) stop(`--date ${name}: expected a date such as 2026-11-21`);
  return given;
}

function buildAll() {
  const result = {
    models: [] as CatalogEntry[],
    differences: [] as string[],
    leftOut: new Map<string, string[]>(),
  };
  for (const provider of Object.keys(SOURCE_NAMES) as ListedProvider[]) {
    for (const model of listModels(provider)) {
      const id = `${provider}/${model}`;
      const built = buildOne(provider, model);
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
  addFallbacks(result.models, overrides);
  return result;
}

function buildOne(provider: ListedProvider, model: string): ReturnType<typeof buildModel> {
  const id = `${provider}/${model}`;
  const excluded = overrides.leftOut.find(({ ids }) => ids.some((pattern) => matchesPattern(pattern, id)));
  if (excluded) return { leftOut: excluded.note ?? excluded.source };
  const names = SOURCE_NAMES[provider];
  const genaiPrices = sources.genaiPrices.find(names.genaiPrices, model, today);
  const facts = sources.modelsDev.map((source) => ({ ...source.find(names.modelsDev).get(model), source }));
  const opinions = [
    ...facts.map(({ source, prices }) => ({ source: source.name, prices })),
    { source: 'genai-prices', prices: genaiPrices?.current },
    { source: 'litellm', prices: sources.liteLlm.find(names.liteLlm, model) },
  ].flatMap(({ source, prices }) =>
    prices?.[0] !== undefined && (dates[source] ?? '') >= oldest ? [{ source, prices }] : [],
  );
  return buildModel({
    provider,
    model,
    limits: sources.modelsDev.map((source) => source.find(names.modelsDev).get(model)).find(Boolean),
    genaiPrices,
    opinions,
    override: overrides.models.find((override) => override.id === id),
    before: before.get(id),
    dates,
  });
}

/** Every model that a source or an override names; of OpenRouter's hundreds, only those with limits. */
function listModels(provider: ListedProvider): string[] {
  const prefix = `${provider}/`;
  const names = SOURCE_NAMES[provider];
  const known = sources.modelsDev.flatMap((source) => [...source.find(names.modelsDev).keys()]);
  const overridden = overrides.models.flatMap(({ id }) =>
    id.startsWith(prefix) ? [id.slice(prefix.length)] : [],
  );
  const priced = provider === 'openrouter' ? [] : sources.genaiPrices.models(names.genaiPrices);
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

/** A price that a person decided on must be looked at again. */
function refuseOldDecisions(): void {
  const old = overrides.models.filter(({ set, date }) => set.prices !== undefined && date < oldest);
  if (old.length === 0) return;
  const lines = old.map(({ id, date, source }) => `  ${id}: ${date}, ${source}`);
  stop(`${OVERRIDES}: these prices are older than ${maxAgeDays} days:\n${lines.join('\n')}`);
}

function report(): void {
  console.log(`Sources: ${sources.list.map(writeSource).join(', ')}\n`);
  for (const [reason, ids] of leftOut)
    console.log(`Left out, ${reason} (${ids.length}): ${ids.join(', ')}\n`);
  console.log(
    `The sources differ. The price that most of them give applies, the highest if there is no majority, until an override decides (${differences.length}):\n${indent(differences)}\n`,
  );
  const counts = Object.keys(SOURCE_NAMES).map(
    (provider) => `${provider} ${models.filter(({ id }) => id.startsWith(`${provider}/`)).length}`,
  );
  const added = models.filter(({ id }) => !before.has(id));
  const changed = models.filter(
    (model) =>
      before.has(model.id) && JSON.stringify(before.get(model.id)?.prices) !== JSON.stringify(model.prices),
  );
  const removed = [...before.keys()].filter((id) => !models.some((model) => model.id === id));
  console.log(
    `${CATALOG}: ${models.length} models (${counts.join(', ')}); ${added.length} added, ${changed.length} with a changed price, ${removed.length} removed.`,
  );
}

function writeSource({ name, version, asOf }: Source): string {
  return `${name}${version ? ` ${version}` : ''} of ${asOf}`;
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}
