import { settingNames } from '../base/env';

/** Variables that are no settings but look like one. Short names are like too many others. */

const LEAST_LENGTH = 6;
/** Up to this length, one letter may differ; beyond it, two. */
const SHORT_LENGTH = 8;

export type Misspelt = { name: string; meant: string };

export function findMisspelt(
  environment: Record<string, string | undefined>,
  others: string[] = [],
): Misspelt[] {
  const settings = [...settingNames(), ...others].flatMap((name) => [name, `${name}_FILE`]);
  const known = new Set(settings);
  const candidates = settings.filter((name) => name.length >= LEAST_LENGTH);
  return Object.keys(environment).flatMap((name) => {
    if (known.has(name)) return [];
    const meant = candidates.find((candidate) => isSimilar(name, candidate));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

export const describeMisspelt = ({ name, meant }: Misspelt): string =>
  `${name} is not a setting. Did you mean ${meant}?`;

function isSimilar(name: string, candidate: string): boolean {
  const most = candidate.length <= SHORT_LENGTH ? 1 : 2;
  return Math.abs(name.length - candidate.length) <= most && countEdits(name, candidate) <= most;
}

/** Letters to add, remove or replace, and neighbours to swap. */
function countEdits(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)];
      row.push(Math.min(...edits, isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
