/** How old a price may be before it must be confirmed again. */
export const DEFAULT_MAX_AGE_DAYS = 45;

/** Null unless it is a whole number of days. */
export function readMaxAgeDays(text: string): number | null {
  return /^\d{1,4}$/.test(text) ? Number(text) : null;
}
