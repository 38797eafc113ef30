import type { UnitKind } from '../protocols/neutral';
import type { UnitPrice } from './cost';

/** Prices of units as people read them: $4.00 per 1,000 pages, and not $0.004 per page. */

type Words = { per: number; perName: string };

const WORDS: Readonly<Record<UnitKind, Words>> = {
  audio_token: { per: 1_000_000, perName: '1M audio tokens' },
  character: { per: 1_000_000, perName: '1M characters' },
  image: { per: 1, perName: 'image' },
  image_token: { per: 1_000_000, perName: '1M image tokens' },
  page: { per: 1_000, perName: '1,000 pages' },
  query: { per: 1_000, perName: '1,000 queries' },
  second: { per: 60, perName: 'minute' },
  video_token: { per: 1_000_000, perName: '1M video tokens' },
};

const PICOCREDITS_PER_DOLLAR = 1e14;
const BASIS_POINTS = 10_000;

/** At least cents; some prices have more digits. */
const USD = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

/** Such as `$4.00 per 1,000 pages`, with the commission on it. */
export function describeUnitPrice({ kind, price }: UnitPrice, rateBp = 0): string {
  const { per, perName } = WORDS[kind];
  const usd = (Number(price) * per * (BASIS_POINTS + rateBp)) / BASIS_POINTS / PICOCREDITS_PER_DOLLAR;
  return `${USD.format(usd)} per ${perName}`;
}

export type UnitPrices = { inputUnit?: UnitPrice | undefined; outputUnit?: UnitPrice | undefined };

/** Every price of units that a model has. */
export function describeUnitPrices({ inputUnit, outputUnit }: UnitPrices, rateBp = 0): string[] {
  if (inputUnit === undefined || outputUnit === undefined)
    return [inputUnit, outputUnit].flatMap((unit) => (unit ? [describeUnitPrice(unit, rateBp)] : []));
  return [`${describeUnitPrice(inputUnit, rateBp)} in`, `${describeUnitPrice(outputUnit, rateBp)} out`];
}
