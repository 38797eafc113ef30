import type { Capability } from '../../server/gateway/pricing/catalog-schema';
import { listFiles } from './read-source';
import { type SourcePrices, toDecimal } from './source-prices';

/**
 * Limits, capabilities and prices from models.dev: its API, a snapshot of it, or the npm package
 * @earendil-works/pi-ai, which contains much of it and is published more often than most snapshots.
 */

export type ModelFacts = {
  name: string;
  released: string | undefined;
  contextWindow: number;
  maxOutputTokens: number;
  capabilities: Capability[];
  writesText: boolean;
  isRetired: boolean;
  prices: SourcePrices;
};

export type ModelsDev = {
  name: string;
  asOf: string | undefined;
  find(provider: string): Map<string, ModelFacts>;
};

type Cost = { [name: string]: number | undefined } & { tiers?: ({ tier: { size: number } } & Cost)[] };
type RawModel = {
  name: string;
  release_date?: string;
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

export function readModelsDev(bytes: Buffer): ModelsDev {
  const files = [...listFiles(bytes)];
  if (files.length > 1) return readPiAi(new Map(files));
  const json = JSON.parse(bytes.toString('utf8')) as { snapshot?: string; providers?: RawProviders };
  const providers = json.providers ?? (json as unknown as RawProviders);
  return {
    name: 'models.dev',
    asOf: json.snapshot,
    find: remember(
      (provider) =>
        new Map(Object.entries(providers[provider]?.models ?? {}).map(([id, raw]) => [id, toFacts(raw)])),
    ),
  };
}

function remember(find: ModelsDev['find']): ModelsDev['find'] {
  const found = new Map<string, Map<string, ModelFacts>>();
  return (provider) => {
    const models = found.get(provider) ?? find(provider);
    found.set(provider, models);
    return models;
  };
}

type PiCost = { input: number; output: number; cacheRead: number; cacheWrite: number };
type PiModel = {
  id: string;
  name: string;
  type?: string;
  reasoning?: boolean;
  input: string[];
  cost: PiCost & { tiers?: (PiCost & { inputTokensAbove: number })[] };
  contextWindow: number;
  maxTokens?: number;
};

/** Where its name of a provider is not that of models.dev. */
const PI_NAMES: Record<string, string> = { togetherai: 'together', 'fireworks-ai': 'fireworks' };

function readPiAi(files: ReadonlyMap<string, () => string>): ModelsDev {
  const read = (name: string) =>
    JSON.parse(files.get(`package/dist/providers/data/${name}.json`)?.() ?? '{}') as object;
  const { generatedAt } = read('.manifest') as { generatedAt?: string };
  return {
    name: 'pi-ai',
    asOf: generatedAt?.slice(0, 10),
    find: remember((provider) => {
      const byFormat = read(PI_NAMES[provider] ?? provider) as Record<string, Record<string, PiModel>>;
      const models = Object.values(byFormat).flatMap((some) => Object.values(some));
      return new Map(
        models.filter(({ type }) => type === 'chat').map((model) => [model.id, fromPiAi(model, provider)]),
      );
    }),
  };
}

/** It has only models with tools, and does not say whether they have structured output or read PDFs. */
function fromPiAi({ cost, ...model }: PiModel, provider: string): ModelFacts {
  const reasoning = model.reasoning === true;
  const cached = ({ input, output, cacheRead, cacheWrite }: PiCost): Cost => ({
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
  });
  const tiers = (cost.tiers ?? []).map((tier) => ({
    tier: { size: tier.inputTokensAbove },
    ...cached(tier),
  }));
  return toFacts({
    name: model.name,
    reasoning,
    tool_call: true,
    // Reasoning models of these two refuse a temperature.
    temperature: !(reasoning && (provider === 'openai' || provider === 'anthropic')),
    limit: { context: model.contextWindow, output: model.maxTokens ?? 0 },
    modalities: { input: model.input, output: ['text'] },
    cost: { ...cached(cost), tiers } as Cost,
  });
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
