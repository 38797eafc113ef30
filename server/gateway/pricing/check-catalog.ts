import { nowDate } from '../../base/clock';
import type { ModelType } from '../protocols/neutral';
import {
  type CatalogModel,
  findCatalogModel,
  type OffPeak,
  type PriceVersion,
  priceVersions,
} from './catalog';
import type { ModelPrices, TokenPrices } from './cost';

/** The problems in the catalogue, one per line, including the operator's file. */
export function checkCatalog(): string[] {
  return priceVersions().flatMap(({ model, versions }) => problemsOf(model, versions));
}

export function problemsOf(model: CatalogModel, versions: readonly PriceVersion[]): string[] {
  const { type } = model;
  const problems = [...modelProblems(model), ...versions.flatMap((version) => priceProblems(version, type))];
  return problems.map((problem) => `${model.id}: ${problem}`);
}

function modelProblems(model: CatalogModel): string[] {
  const missing = model.fallbacks.filter((id) => findCatalogModel(id) === null);
  return failed([
    [model.provider !== '' && model.upstreamModel !== '', 'the id does not have the form provider/model'],
    [/^[\x21-\x7e]+$/.test(model.upstreamModel) && !model.upstreamModel.includes('*'), 'the id is not exact'],
    [!/(^|[-/])latest($|-)/.test(model.upstreamModel), 'the id is an alias whose model can change'],
    [model.maxOutputTokens > 0 || model.type !== 'language', 'it has no output limit'],
    [model.maxOutputTokens <= model.contextWindow, 'the output limit exceeds the context window'],
    [missing.length === 0, `unknown fallbacks: ${missing.join(', ')}`],
  ]);
}

function priceProblems({ from, prices, offPeak }: PriceVersion, type: ModelType): string[] {
  const hourly = offPeak === null ? [] : offPeakProblems(`off-peak prices from ${from}`, offPeak);
  return [...tierProblems(`prices from ${from}`, prices, type), ...hourly];
}

function offPeakProblems(place: string, { prices, peak: { holidaysUntil } }: OffPeak): string[] {
  const today = nowDate().toISOString().slice(0, 10);
  const isKnown = holidaysUntil === undefined || holidaysUntil >= today;
  return [
    ...tierProblems(place, prices),
    ...failed([[isKnown, `${place}: the holidays without peak hours are known only until ${holidaysUntil}`]]),
  ];
}

function tierProblems(start: string, prices: ModelPrices, type: ModelType = 'language'): string[] {
  const units = [prices.inputUnit, prices.outputUnit].filter((unit) => unit !== undefined);
  const tiers = [{ above: 0, ...prices }, ...prices.tiers];
  return tiers.flatMap((tier, i) => {
    const place = `${start}${tier.above > 0 ? ` above ${tier.above} tokens` : ''}`;
    return failed([
      [hasPrice(tier, units.length > 0, type), `${place}: a price is zero`],
      [units.every(({ price }) => price > 0n), `${place}: the price of a unit is zero`],
      [tier.cacheRead <= tier.input, `${place}: a cached token costs more than an uncached one`],
      [tier.cacheWrite5m <= tier.cacheWrite1h, `${place}: a short cache write costs more than a long one`],
      [i === 0 || tier.above > (tiers[i - 1]?.above ?? 0), `${place}: the tiers are not in ascending order`],
      [i === 0 || isNotCheaper(tier, tiers[i - 1] ?? tier), `${place}: a longer prompt costs less`],
    ]);
  });
}

/** Only moderation costs nothing. Where units are counted, text may cost nothing. */
function hasPrice({ input, output }: TokenPrices, countsUnits: boolean, type: ModelType): boolean {
  if (type === 'language') return input > 0n && output > 0n;
  return type === 'moderation' || countsUnits || input > 0n;
}

function isNotCheaper(tier: TokenPrices, before: TokenPrices): boolean {
  return tier.input >= before.input && tier.output >= before.output;
}

const failed = (rules: readonly (readonly [boolean, string])[]): string[] =>
  rules.filter(([holds]) => !holds).map(([, problem]) => problem);
