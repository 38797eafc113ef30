import type { BarRow } from '@/app/_ui/bar-row';
import type { RefusalDay } from '@/server/activity/install-activity';

const MOST_SERIES = 6;
const REST = 'other';

/** Counts by day and code as a chart takes them: the commonest codes by name, the others together. */
export function refusalRows(days: string[], refusals: RefusalDay[]): { rows: BarRow[]; series: string[] } {
  const totals = new Map<string, number>();
  for (const { code, count } of refusals) totals.set(code, (totals.get(code) ?? 0) + count);
  const codes = [...totals].sort((a, b) => b[1] - a[1]).map(([code]) => code);
  const named = codes.length > MOST_SERIES ? codes.slice(0, MOST_SERIES - 1) : codes;
  const rows = new Map<string, BarRow>(days.map((day) => [day, { label: day, values: {} }]));
  for (const { day, code, count } of refusals) {
    const values = rows.get(day)?.values;
    const name = named.includes(code) ? code : REST;
    if (values) values[name] = (values[name] ?? 0) + count;
  }
  return { rows: [...rows.values()], series: codes.length > named.length ? [...named, REST] : named };
}
