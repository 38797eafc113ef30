/** Far above any prompt or response; the ledger can hold twenty times as much at most. */
export const MOST_TOKENS = 100_000_000;

/** A token count, or null when it is missing, negative, implausible or not a whole number. */
export function readCount(value: unknown): number | null {
  const isCount = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
  return isCount ? (value as number) : null;
}
