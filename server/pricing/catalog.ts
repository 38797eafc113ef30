import { createHash } from 'node:crypto';
import type { Picocredits } from '../credits';
import catalog from './catalog.json';

/** Price of one token per class, in picocredits. */
export type TokenPrices = {
  input: Picocredits;
  output: Picocredits;
  cacheRead: Picocredits;
  cacheWrite: Picocredits;
};

export type CatalogModel = {
  /** `<provider>/<model>`: exact, never guessed. */
  id: string;
  provider: string;
  /** What the provider calls it. */
  upstreamModel: string;
  name: string;
  /** ISO date. */
  released: string;
  contextWindow: number;
  maxOutputTokens: number;
  /** Whether it thinks before it answers; such models take their output limit under another name. */
  reasoning: boolean;
  prices: TokenPrices;
  /** USD per million tokens, as the source writes it. */
  listPrices: { input: string; output: string; cacheRead: string; cacheWrite: string };
  /** Names these prices: a request keeps the version it was priced with. */
  priceVersion: string;
};

type CatalogEntry = (typeof catalog.models)[number];

const DECIMALS = 8;

/** USD per million tokens → picocredits per token: one dollar is 10¹⁴ picocredits, so the factor is 10⁸. */
export function readListPrice(usdPerMillionTokens: string): Picocredits {
  const match = /^(\d+)(?:\.(\d{1,8}))?$/.exec(usdPerMillionTokens);
  if (!match) throw new Error(`Not a price in USD per million tokens: ${usdPerMillionTokens}`);
  const [, whole = '0', decimals = ''] = match;
  return (BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(decimals.padEnd(DECIMALS, '0'))) as Picocredits;
}

function toModel(entry: CatalogEntry): CatalogModel {
  const slash = entry.id.indexOf('/');
  const { prices } = entry;
  return {
    ...entry,
    provider: entry.id.slice(0, slash),
    upstreamModel: entry.id.slice(slash + 1),
    listPrices: prices,
    prices: {
      input: readListPrice(prices.input),
      output: readListPrice(prices.output),
      cacheRead: readListPrice(prices.cacheRead),
      cacheWrite: readListPrice(prices.cacheWrite),
    },
    priceVersion: `${entry.id}@${createHash('sha256').update(JSON.stringify(prices)).digest('hex').slice(0, 12)}`,
  };
}

const models = new Map(catalog.models.map((entry) => [entry.id, toModel(entry)]));

/** Every model that the catalogue prices, whether or not its provider is configured. */
export function catalogModels(): CatalogModel[] {
  return [...models.values()];
}

export function findCatalogModel(id: string): CatalogModel | null {
  return models.get(id) ?? null;
}
