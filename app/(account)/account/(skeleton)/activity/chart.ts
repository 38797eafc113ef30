import type { BarRow } from '@/app/_ui/bar-row';
import { creditsToJson } from '@/server/base/credits';
import type { UsageDay } from '@/server/ledger';
import { labelOf } from '@/server/reports/activity/bars';
import { daysBetween } from '@/server/reports/activity/periods';

/** Usage by day, as the bars of a chart. */

const MAX_SERIES = 6;
const OTHER = 'Other';

type Options = {
  from: string;
  to: string;
  step: 'day' | 'month';
  by: 'app' | 'model';
  /** The names of the apps. */
  names: Map<string, string>;
};

export function chartOf(days: UsageDay[], options: Options): { rows: BarRow[]; series: string[] } {
  const { series, seriesOf } = chooseSeries(days, options);
  const bars = new Map(daysBetween(options).map((day) => [stepOf(day, options), new Map<string, bigint>()]));
  for (const day of days) {
    const bar = bars.get(stepOf(day.day, options));
    const name = seriesOf(day);
    bar?.set(name, (bar.get(name) ?? 0n) + day.charge);
  }
  const rows = [...bars].map(([step, values]) => ({
    label: labelOf(step),
    values: Object.fromEntries([...values].map(([name, charge]) => [name, creditsToJson(charge)])),
  }));
  return { rows, series };
}

export type Share = { id: string; name: string; charge: bigint; requests: number };

/** Totals per app or model, highest first. */
export function sharesOf(days: UsageDay[], { by, names }: Pick<Options, 'by' | 'names'>): Share[] {
  const shares = new Map<string, Share>();
  for (const day of days) {
    const id = by === 'app' ? day.partnerId : day.model;
    const share = shares.get(id) ?? { id, name: names.get(id) ?? id, charge: 0n, requests: 0 };
    shares.set(id, { ...share, charge: share.charge + day.charge, requests: share.requests + day.requests });
  }
  return [...shares.values()].sort((a, b) =>
    a.charge < b.charge ? 1 : a.charge > b.charge ? -1 : b.requests - a.requests,
  );
}

/** The highest by name, the others combined. Apps that share a name still get a bar each. */
function chooseSeries(days: UsageDay[], options: Options) {
  const shares = sharesOf(days, options);
  const shown = shares.length > MAX_SERIES ? shares.slice(0, MAX_SERIES - 1) : shares;
  const labels = new Map<string, string>();
  for (const { id, name } of shown)
    labels.set(id, [...labels.values()].includes(name) ? `${name} (${labels.size + 1})` : name);
  const idOf = (day: UsageDay) => (options.by === 'app' ? day.partnerId : day.model);
  return {
    series: [...labels.values(), ...(shown.length < shares.length ? [OTHER] : [])],
    seriesOf: (day: UsageDay) => labels.get(idOf(day)) ?? OTHER,
  };
}

const stepOf = (day: string, { step }: Options): string => (step === 'day' ? day : day.slice(0, 7));
