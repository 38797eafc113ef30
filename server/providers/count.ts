/** No prompt and no answer is longer, by far; the books hold no more than twenty times as much. */
export const MOST_TOKENS = 100_000_000;

/** A token count, or null for what is missing, negative, absurd or not a whole number. */
export function readCount(value: unknown): number | null {
  const isCount = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
  return isCount ? (value as number) : null;
}
