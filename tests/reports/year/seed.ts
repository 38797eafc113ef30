/** The year that tests share: the same seed, the same year. */
export const YEAR_SEED = 2026;
export const YEAR_REQUESTS = 200_000;
