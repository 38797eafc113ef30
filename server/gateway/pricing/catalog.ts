import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DAY_MS, now } from '../../base/clock';
import { settings } from '../../base/env';
import { invariant } from '../../base/errors';
import type { ModelType, Resolution } from '../protocols/neutral';
import audioJson from './audio-models.json';
import { listBatchModels } from './batch-models';
import catalogJson from './catalog.json';
import { type CatalogFile, NO_FILE, readCatalogFile } from './catalog-file';
import {
  CAPABILITIES,
  type Capability,
  type DatedPrices,
  type ModelEntry,
  modelSchema,
  type OwnProvider,
} from './catalog-schema';
import type { ModelPrices, TokenPrices } from './cost';
import documentJson from './document-models.json';
import embeddingJson from './embedding-models.json';
import imageJson from './image-models.json';
import {
  type ListPrices,
  type ListUnitPrice,
  readCallPrice,
  readListPrice,
  readUnitPrice,
} from './list-price';
import { isPeak, type PeakCalendar, type PeakHours, readPeakHours } from './peak-hours';
import sandboxJson from './sandbox-models.json';
import { findSearchPrice } from './tool-prices';
import videoJson from './video-models.json';

/** Every model with prices: from `catalog.json`, the sandbox and the operator's CATALOG_FILE. */

export type PriceVersion = {
  /** The id of these prices. A request keeps the version it was priced with. */
  name: string;
  /** The first day on which these prices apply. */
  from: string;
  prices: ModelPrices;
  /** USD per million tokens, as written in the source. */
  listPrices: ListPrices & {
    tiers: readonly (ListPrices & { above: number })[];
    /** USD per 1,000 searches. */
    webSearch?: string | undefined;
    inputUnit?: ListUnitPrice | undefined;
    outputUnit?: ListUnitPrice | undefined;
    /** The price of `outputUnit` at each resolution. */
    resolutions?: Partial<Record<Resolution, string>> | undefined;
  };
  /** Some providers charge less outside their peak hours; then the other prices are those of the peak. */
  offPeak: OffPeak | null;
  /** Where the price depends on the resolution, each has a version of its own; the other prices are the highest of them. */
  ofResolutions: ReadonlyMap<Resolution, OfResolution>;
};

type OfResolution = { name: string; prices: ModelPrices };

export type OffPeak = {
  name: string;
  prices: ModelPrices;
  listPrices: ListPrices;
  peak: PeakHours & { holidaysUntil?: string | undefined };
  calendar: PeakCalendar;
};

export type CatalogModel = {
  /** `<provider>/<model>`, matched exactly. */
  id: string;
  provider: string;
  /** The provider's name for the model. */
  upstreamModel: string;
  name: string;
  type: ModelType;
  /** ISO date. */
  released: string;
  /** 0 of OCR models, which have no limit of tokens. */
  contextWindow: number;
  /** 0 of models that produce no text. */
  maxOutputTokens: number;
  capabilities: Readonly<Record<Capability, boolean>>;
  /** Ids of the same model at other providers, in the order to try them. */
  fallbacks: readonly string[];
  /** The prices in force today: at any hour a request costs at most this, so holds are made at it. */
  prices: ModelPrices;
  listPrices: PriceVersion['listPrices'];
  priceVersion: string;
  offPeak: OffPeak | null;
  ofResolutions: PriceVersion['ofResolutions'];
  /** The day on which a source last confirmed the price; null for the sandbox and the operator's own prices. */
  pricedAt: string | null;
};

/** Whether conversations with the model have audio: what it hears and what it says have prices of their own. */
export const hasAudio = ({ type, prices }: Pick<CatalogModel, 'type' | 'prices'>): boolean =>
  type === 'language' &&
  prices.inputUnit?.kind === 'audio_token' &&
  prices.outputUnit?.kind === 'audio_token';

type Catalog = {
  entries: Map<string, ModelEntry>;
  versions: Map<string, PriceVersion[]>;
  providers: Readonly<Record<string, OwnProvider>>;
};

const builtIn: readonly ModelEntry[] = z
  .array(modelSchema)
  .parse([
    ...sandboxJson.models,
    ...embeddingJson.models,
    ...documentJson.models,
    ...imageJson.models,
    ...audioJson.models,
    ...videoJson.models,
    ...(catalogJson as { models: unknown[] }).models,
  ])
  .map(addToolPrices);

/** Only language models run tools. */
function addToolPrices(entry: ModelEntry): ModelEntry {
  const webSearch = entry.type === 'language' ? findSearchPrice(entry.id) : undefined;
  if (webSearch === undefined) return entry;
  return { ...entry, prices: entry.prices.map((dated) => ({ webSearch, ...dated })) };
}

/** Throws an error that names the problem in the file and its location. */
export function buildCatalog(catalogFile: string | undefined): Catalog {
  const entries = new Map(builtIn.map((entry) => [entry.id, entry]));
  const file: CatalogFile = catalogFile === undefined ? NO_FILE : readCatalogFile(catalogFile, entries);
  for (const entry of file.models) entries.set(entry.id, entry);
  // The operator's own price of a model says nothing about its price in a batch.
  const own = new Set(file.models.map(({ id }) => id));
  for (const entry of listBatchModels(builtIn.filter(({ id }) => !own.has(id)))) entries.set(entry.id, entry);
  const versions = new Map(
    [...entries].map(([id, { prices }]) => [id, prices.map((dated) => toVersion(id, dated))]),
  );
  return { entries, versions, providers: file.providers };
}

let catalog: Catalog | undefined;
let today: { day: number; models: Map<string, CatalogModel> } | undefined;

function currentCatalog(): Catalog {
  catalog ??= buildCatalog(settings().CATALOG_FILE);
  return catalog;
}

/** Prices change at midnight UTC. */
function modelsOfToday(): Map<string, CatalogModel> {
  const day = Math.floor(now() / DAY_MS);
  if (today?.day !== day) {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    const models = [...currentCatalog().entries.values()].map((entry) => toModel(entry, date));
    today = { day, models: new Map(models.map((model) => [model.id, model])) };
  }
  return today.models;
}

/** Every model in the catalogue, whether or not its provider is configured. */
export function catalogModels(): CatalogModel[] {
  return [...modelsOfToday().values()];
}

export function findCatalogModel(id: string): CatalogModel | null {
  return modelsOfToday().get(id) ?? null;
}

/** The prices of a response that was complete at this time, and their version. */
export function pricesAt(
  { prices, priceVersion, offPeak }: Pick<CatalogModel, 'prices' | 'priceVersion' | 'offPeak'>,
  timeMs: number,
): { prices: ModelPrices; priceVersion: string } {
  if (offPeak === null || isPeak(offPeak.calendar, timeMs)) return { prices, priceVersion };
  return { prices: offPeak.prices, priceVersion: offPeak.name };
}

/** The model at the price of this resolution, where that decides the price; null if it does not have it. */
export function atResolution(model: CatalogModel, resolution: Resolution): CatalogModel | null {
  if (model.ofResolutions.size === 0) return model;
  const version = model.ofResolutions.get(resolution);
  return version === undefined ? null : { ...model, prices: version.prices, priceVersion: version.name };
}

/** The versions that requests of today can have. */
export const versionsInForce = ({ priceVersion, offPeak, ofResolutions }: CatalogModel): string[] => [
  priceVersion,
  ...(offPeak === null ? [] : [offPeak.name]),
  ...[...ofResolutions.values()].map(({ name }) => name),
];

/** A provider defined in the operator's file. */
export function findOwnProvider(name: string): OwnProvider | null {
  return currentCatalog().providers[name] ?? null;
}

/** Every price in the catalogue, including future ones. */
export function priceVersions(): { model: CatalogModel; versions: PriceVersion[] }[] {
  return catalogModels().map((model) => ({ model, versions: currentCatalog().versions.get(model.id) ?? [] }));
}

function toModel(entry: ModelEntry, date: string): CatalogModel {
  const versions = currentCatalog().versions.get(entry.id) ?? [];
  const version = versions.findLast(({ from }) => from <= date) ?? versions[0];
  invariant(version !== undefined, `${entry.id} has no price`);
  const slash = entry.id.indexOf('/');
  return {
    id: entry.id,
    provider: entry.id.slice(0, slash),
    upstreamModel: entry.upstreamModel ?? entry.id.slice(slash + 1),
    name: entry.name,
    type: entry.type,
    released: entry.released,
    contextWindow: entry.contextWindow ?? 0,
    maxOutputTokens: entry.maxOutputTokens ?? 0,
    capabilities: Object.fromEntries(
      CAPABILITIES.map((name) => [name, entry.capabilities.includes(name)]),
    ) as Record<Capability, boolean>,
    fallbacks: entry.fallbacks,
    prices: version.prices,
    listPrices: version.listPrices,
    priceVersion: version.name,
    offPeak: version.offPeak,
    ofResolutions: version.ofResolutions,
    pricedAt: newestOf(entry.pricedBy ?? []),
  };
}

const SOURCE_DATES: ReadonlyMap<string, string> = new Map(
  catalogJson.sources.map(({ name, asOf }) => [name, asOf]),
);

/** A price is as old as the newest of its sources; an override states its own date. */
function newestOf(sources: readonly string[]): string | null {
  const dates = sources.map((source) => SOURCE_DATES.get(source) ?? source.slice(-'2026-11-21'.length));
  return dates.sort().at(-1) ?? null;
}

function toVersion(
  id: string,
  { from, automaticCacheWrites, offPeak, ...listPrices }: DatedPrices,
): PriceVersion {
  return {
    name: nameVersion(`${id}@${from}${offPeak ? '.peak' : ''}`, listPrices),
    from,
    prices: readModelPrices({ ...listPrices, automaticCacheWrites }),
    listPrices,
    offPeak: offPeak ? toOffPeak(`${id}@${from}.off-peak`, offPeak, automaticCacheWrites) : null,
    ofResolutions: new Map(
      toResolutions(listPrices).map(([resolution, list]) => [
        resolution,
        {
          name: nameVersion(`${id}@${from}.${resolution}`, list),
          prices: readModelPrices({ ...list, automaticCacheWrites }),
        },
      ]),
    ),
  };
}

type Listed = Omit<DatedPrices, 'from' | 'offPeak' | 'automaticCacheWrites'>;

/** The list prices of each resolution. */
function toResolutions({ resolutions = {}, outputUnit, ...list }: Listed): [Resolution, Listed][] {
  if (outputUnit === undefined) return [];
  return Object.entries(resolutions).map(([resolution, price]) => [
    resolution as Resolution,
    { ...list, outputUnit: { ...outputUnit, price } },
  ]);
}

/** List prices as requests are charged at them. */
export const readModelPrices = ({
  automaticCacheWrites,
  ...list
}: Omit<DatedPrices, 'from' | 'offPeak'>): ModelPrices => ({
  ...readTokenPrices(list),
  automaticCacheWrites,
  tiers: list.tiers.map((tier) => ({ ...readTokenPrices(tier), above: tier.above })),
  ...(list.webSearch !== undefined && { webSearch: readCallPrice(list.webSearch) }),
  ...(list.inputUnit && { inputUnit: { kind: list.inputUnit.kind, price: readUnitPrice(list.inputUnit) } }),
  ...(list.outputUnit && {
    outputUnit: { kind: list.outputUnit.kind, price: readUnitPrice(list.outputUnit) },
  }),
});

/** Peak and off-peak prices are versions of their own, so that a receipt names the exact price. */
function toOffPeak(
  name: string,
  { peak, ...listPrices }: NonNullable<DatedPrices['offPeak']>,
  automaticCacheWrites: boolean,
): OffPeak {
  return {
    name: nameVersion(name, listPrices),
    prices: { ...readTokenPrices(listPrices), automaticCacheWrites, tiers: [] },
    listPrices,
    peak,
    calendar: readPeakHours(peak),
  };
}

function nameVersion(start: string, listPrices: object): string {
  const hash = createHash('sha256').update(JSON.stringify(listPrices)).digest('hex').slice(0, 8);
  return `${start}.${hash}`;
}

function readTokenPrices(list: ListPrices): TokenPrices {
  return {
    input: readListPrice(list.input),
    output: readListPrice(list.output),
    cacheRead: readListPrice(list.cacheRead),
    cacheWrite5m: readListPrice(list.cacheWrite5m),
    cacheWrite1h: readListPrice(list.cacheWrite1h),
  };
}
