import { readFile } from 'node:fs/promises';
import type { Capability } from '../../server/pricing/catalog-schema';
import { type SourcePrices, toDecimal } from './source-prices';

/** Limits, capabilities and prices from models.dev's JSON: its API, or a snapshot of it. */

export type ModelFacts = {
  name: string;
  released: string;
  contextWindow: number;
  maxOutputTokens: number;
  capabilities: Capability[];
  writesText: boolean;
  isRetired: boolean;
  prices: SourcePrices;
};

export type ModelsDev = { asOf: string | undefined; find(provider: string): Map<string, ModelFacts> };

type Cost = { [name: string]: number | undefined } & { tiers?: ({ tier: { size: number } } & Cost)[] };
type RawModel = {
  name: string;
  release_date: string;
  status?: string;
  reasoning: boolean;
  tool_call: boolean;
  temperature?: boolean;
  structured_output?: boolean;
  limit?: { context?: number; output?: number };
  modalities?: { input?: string[]; output?: string[] };
  cost?: Cost;
};
type RawProviders = Record<string, { models?: Record<string, RawModel> }>;

export async function readModelsDev(location: string): Promise<ModelsDev> {
  const json = JSON.parse(await readText(location)) as { snapshot?: string; providers?: RawProviders };
  const providers = json.providers ?? (json as unknown as RawProviders);
  return {
    asOf: json.snapshot,
    find: (provider) =>
      new Map(Object.entries(providers[provider]?.models ?? {}).map(([id, raw]) => [id, toFacts(raw)])),
  };
}

async function readText(location: string): Promise<string> {
  if (!/^https?:/.test(location)) return readFile(location, 'utf8');
  const response = await fetch(location);
  if (!response.ok) throw new Error(`${location} answered ${response.status}`);
  return response.text();
}

function toFacts(raw: RawModel): ModelFacts {
  return {
    name: raw.name,
    released: raw.release_date,
    contextWindow: raw.limit?.context ?? 0,
    maxOutputTokens: raw.limit?.output ?? 0,
    capabilities: toCapabilities(raw),
    writesText: raw.modalities?.output?.join() === 'text' && raw.modalities.input?.includes('text') === true,
    isRetired: raw.status === 'deprecated',
    prices: toPrices(raw.cost),
  };
}

function toCapabilities(raw: RawModel): Capability[] {
  const inputs = raw.modalities?.input ?? [];
  const has: Record<Capability, boolean> = {
    json: raw.structured_output === true,
    pdf: inputs.includes('pdf'),
    reasoning: raw.reasoning,
    sampling: raw.temperature === true,
    tools: raw.tool_call,
    vision: inputs.includes('image'),
  };
  return (Object.keys(has) as Capability[]).filter((name) => has[name]);
}

function toPrices(cost: Cost | undefined): SourcePrices {
  if (cost === undefined) return [];
  const level = (above: number, given: Cost) => ({
    above,
    classes: compact({
      input: toDecimal(given.input),
      // A model that bills reasoning at a higher price than text is priced as if it only reasoned.
      output: toDecimal(Math.max(given.output ?? 0, given.reasoning ?? 0)),
      cacheRead: toDecimal(given.cache_read ?? given.cached_input),
      cacheWrite5m: toDecimal(given.cache_write ?? given.cached_write),
    }),
  });
  const tiers = (cost.tiers ?? []).map((tier) => level(tier.tier.size, tier));
  return [level(0, cost), ...tiers.sort((a, b) => a.above - b.above)];
}

/** Without undefined fields. */
function compact<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
