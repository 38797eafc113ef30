import type { DataRule } from '@/server/base/data-rules';
import type { PriceRow } from '../parts/price-rows';

export type Scope = 'served' | 'all';
/** `rule` is empty without one. */
export type PriceFilter = { q: string; provider: string; rule: DataRule | ''; show: Scope };

/** The models of a scope, and their providers to choose from. */
export function inScope(rows: PriceRow[], show: Scope): { rows: PriceRow[]; providers: string[] } {
  const scoped = rows.filter(({ isServed }) => show === 'all' || isServed);
  return { rows: scoped, providers: [...new Set(scoped.map((row) => row.provider))].sort() };
}

/** Every word of `q` has to occur in the id, the name or the type. */
export function findRows(
  rows: PriceRow[],
  { q, provider, rule }: Pick<PriceFilter, 'q' | 'provider' | 'rule'>,
): PriceRow[] {
  const words = q.trim().toLowerCase().split(/\s+/);
  return rows
    .filter((row) => provider === '' || row.provider === provider)
    .filter((row) => rule === '' || row.rules.includes(rule))
    .filter((row) => words.every((word) => `${row.id} ${row.name} ${row.type}`.toLowerCase().includes(word)));
}

/** The filter as a query string, without what `initialShow` selects anyway. Empty without a filter. */
export function writeFilter({ q, provider, rule, show }: PriceFilter, initialShow: Scope): string {
  const given = { q: q.trim(), provider, rule, show: show === initialShow ? '' : show };
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== '')).toString();
}
