/** Much more than any prompt or response. The ledger can store twenty times as much. */
export const MAX_COUNT = 100_000_000;

/** Some servers write counts as text. */
const DIGITS = /^\d{1,9}$/;

/** A token count, or null when it is missing, negative, implausible or not a whole number. */
export function readCount(value: unknown): number | null {
  const count = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  const isCount = Number.isInteger(count) && (count as number) >= 0 && (count as number) <= MAX_COUNT;
  return isCount ? (count as number) : null;
}

/** Of two counts of the same response, the larger one: what was once reported was used. */
export function largerCount(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
