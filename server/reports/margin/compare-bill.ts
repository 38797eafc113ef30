import { type Microcredits, microcredits } from '../../base/credits';
import { querySlowly } from '../../base/db';
import { catalogModels } from '../../gateway/pricing/catalog';
import { costOf } from '../../gateway/pricing/cost';
import { type Bill, type BillLine, UnreadableBill } from './read-bill';

/** Compares what a provider billed with what was recorded, per day and model. */

export type MarginRow = {
  /** UTC, as `2026-11-21`. */
  day: string;
  /** Without the date of a snapshot, because a provider bills an alias under the name of its snapshot. */
  model: string;
  requests: number;
  /** What users paid. */
  charged: Microcredits;
  /** What was recorded as provider cost. */
  recorded: Microcredits;
  billed: Microcredits;
  /** Whether billed and recorded differ by more than the tolerance. */
  differs: boolean;
};

type Recorded = { day: string; model: string; requests: number; charged: bigint; recorded: bigint };

const PICOCREDITS_PER_MICROCREDIT = 1_000_000n;
/** A difference of less than a tenth of a credit is not marked: rounding adds up. */
const SMALLEST_DIFFERENCE = 100_000n;

export async function compareBill({ provider, lines }: Bill, toleranceBp: number): Promise<MarginRow[]> {
  const rows = new Map<string, Recorded & { billedPico: bigint }>();
  const rowOf = (day: string, name: string) => {
    const model = withoutDate(name);
    const row = rows.get(`${day} ${model}`) ?? {
      day,
      model,
      requests: 0,
      charged: 0n,
      recorded: 0n,
      billedPico: 0n,
    };
    rows.set(`${day} ${model}`, row);
    return row;
  };
  for (const line of lines) rowOf(line.day, line.model).billedPico += amountOf(provider, line);
  for (const found of await readRecorded(
    provider,
    lines.map(({ day }) => day),
  )) {
    const row = rowOf(found.day, found.model);
    row.requests += found.requests;
    row.charged += found.charged;
    row.recorded += found.recorded;
  }
  return [...rows.values()]
    .map(({ billedPico, ...row }) => toRow(row, divideRounded(billedPico), toleranceBp))
    .filter(({ billed, requests }) => billed !== 0n || requests > 0)
    .sort((a, b) => (`${a.day} ${a.model}` < `${b.day} ${b.model}` ? -1 : 1));
}

/** Tokens are priced at today's list price of a short prompt. */
function amountOf(provider: string, { model, billed, place }: BillLine): bigint {
  if (typeof billed === 'bigint') return billed;
  const id = `${provider}/${withoutDate(model)}`;
  const found = catalogModels().find(
    (some) => some.id === `${provider}/${model}` || withoutDate(some.id) === id,
  );
  if (found === undefined)
    throw new UnreadableBill(`${place}: the catalogue has no price of ${provider}/${model}`);
  return costOf(billed, { ...found.prices, tiers: [] });
}

function toRow(row: Recorded, billed: bigint, toleranceBp: number): MarginRow {
  const difference = billed > row.recorded ? billed - row.recorded : row.recorded - billed;
  const most = billed > row.recorded ? billed : row.recorded;
  return {
    ...row,
    charged: microcredits(row.charged),
    recorded: microcredits(row.recorded),
    billed: microcredits(billed),
    differs: difference >= SMALLEST_DIFFERENCE && difference * 10_000n > most * BigInt(toleranceBp),
  };
}

const divideRounded = (pico: bigint): bigint =>
  (pico + PICOCREDITS_PER_MICROCREDIT / 2n) / PICOCREDITS_PER_MICROCREDIT;

/** `gpt-5.4-2026-03-05` and `claude-haiku-4-5-20251001` without their dates. */
export const withoutDate = (model: string): string => model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '');

/**
 * The model of `$1`, a provider, that responded is in the price version: with a fallback, it is not the one requested. A
 * bill has the name of the model for its batches, too.
 */
export const BILLED_MODEL = "substr(regexp_replace(price_version, '(:batch)?@[^@]*$', ''), length($1) + 2)";

/** What its web searches cost, which are billed on lines without a model. */
export const SEARCH_COST = `CASE WHEN web_searches IS NULL THEN 0 ELSE web_searches * (
  SELECT (p.prices ->> 'web_search')::numeric / 1000000 FROM model_price p WHERE p.version = price_version) END`;

async function readRecorded(provider: string, days: readonly string[]): Promise<Recorded[]> {
  const sorted = [...days].sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  return querySlowly<Recorded>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
            ${BILLED_MODEL} AS model, count(*)::float8 AS requests, sum(charge)::bigint AS charged,
            sum(provider_cost - ${SEARCH_COST})::bigint AS recorded
     FROM usage
     WHERE provider = $1 AND created_at >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND created_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC'
     GROUP BY 1, 2`,
    [provider, first, last],
  );
}
