const LARGEST = 9.99;

/** `+12%`, against the period before; null if that had nothing to compare with. */
export function describeGrowth(value: number | bigint, before: number | bigint): string | null {
  if (before <= 0) return null;
  const share = Number(value) / Number(before) - 1;
  const percent = `${Math.round(Math.min(share, LARGEST) * 100)}%`.replace('-', '−');
  return share > LARGEST ? `more than +${percent}` : share > 0 ? `+${percent}` : percent;
}
