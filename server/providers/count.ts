/** A token count, or null for what is missing, negative or not a whole number. */
export function readCount(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
