/** Much more than any prompt or response. The ledger can store twenty times as much. */
export const MAX_COUNT = 100_000_000;

/** A token count, or null when it is missing, negative, implausible or not a whole number. */
export function readCount(value: unknown): number | null {
  const isCount = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT;
  return isCount ? (value as number) : null;
}
