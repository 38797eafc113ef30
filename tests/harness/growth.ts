/**
 * Compares what n, and four times as many, of something cost. Linear work takes four times as long, and work that
 * looks at all others for each one takes sixteen times. What takes less than `ENOUGH_MS` passes at once: the sizes
 * are such that quadratic work takes far longer. Otherwise the ratio decides, which is the same on every machine,
 * at best of several runs and in CPU time of this process, so that others do not matter.
 */
const ENOUGH_MS = 150;
const LARGEST_RATIO = 9;
const RUNS = 3;

/** Makes the input before the work that is measured. */
export type Work = (count: number) => () => unknown;

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Null where the work is linear, otherwise how much longer four times as many take. */
export function findGrowth(make: Work, count: number): number | null {
  const many = make(4 * count);
  let few: (() => unknown) | undefined;
  let ratio = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const ofMany = cpuMs(many);
    if (ofMany < ENOUGH_MS) return null;
    few ??= make(count);
    ratio = Math.min(ratio, ofMany / cpuMs(few));
    if (ratio < LARGEST_RATIO) return null;
  }
  return Math.round(ratio);
}
