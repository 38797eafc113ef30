/** Days in UTC, as `2026-11-21`. */

export function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

export type DayCount = { day: string; count: number };

/** From counts, newest first: the range of days with the requested rows, and how many rows of that range to skip. */
export function findWindow(
  counts: DayCount[],
  { offset, limit }: { offset: number; limit: number },
): { from: string; to: string; offset: number } | null {
  let before = 0;
  let first: { day: string; before: number } | undefined;
  let last: string | undefined;
  for (const { day, count } of counts) {
    if (first === undefined && before + count > offset) first = { day, before };
    if (first !== undefined) last = day;
    before += count;
    if (before >= offset + limit) break;
  }
  if (first === undefined || last === undefined) return null;
  return { from: last, to: dayAfter(first.day), offset: offset - first.before };
}
