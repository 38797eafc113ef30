/**
 * Whether someone spent unusually much today, compared with their own days. Median and median absolute deviation
 * (MAD), because a few extreme days in the history neither hide the next one nor make a usual day unusual.
 */

export const HISTORY_DAYS = 28;
/** Fewer days with use say little about what is usual. */
const MIN_DAYS = 7;
/** Microcredits: 100 credits, which are 1 USD. Less is not worth a mail. */
export const LEAST_UNUSUAL = 100_000_000n;
const MEDIANS = 3;
const DEVIATIONS = 6;
/** Makes the MAD of normally distributed values their standard deviation. */
const MAD_SCALE = 1.4826;
/** The share of days below and above "most days". */
const TAIL = 0.1;

export type Unusual = {
  today: bigint;
  /** What the user spends on most days: the middle 80% of those with use. */
  usual: { from: bigint; to: bigint };
};

/** `days` are the amounts of the last 28 days before today, without those on which nothing was spent. */
export function findUnusual(today: bigint, days: readonly bigint[]): Unusual | null {
  if (today < LEAST_UNUSUAL || days.length < MIN_DAYS) return null;
  const sorted = [...days].sort(compare);
  const middle = medianOf(sorted);
  const mad = medianOf(sorted.map((day) => (day < middle ? middle - day : day - middle)).sort(compare));
  const bound = Math.max(MEDIANS * Number(middle), Number(middle) + DEVIATIONS * MAD_SCALE * Number(mad));
  if (Number(today) <= bound) return null;
  return { today, usual: { from: quantileOf(sorted, TAIL), to: quantileOf(sorted, 1 - TAIL) } };
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The lower of two in the middle. */
const medianOf = (sorted: readonly bigint[]): bigint => quantileOf(sorted, 0.5);

const quantileOf = (sorted: readonly bigint[], share: number): bigint =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? 0n;
