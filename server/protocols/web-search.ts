/** Limits of the web searches that a provider runs for a request. */

/** Of a request that sets no limit. */
export const DEFAULT_SEARCHES = 5;
/** More would not fit into the context window of most models. */
export const MAX_SEARCHES = 20;

/** The most searches that a request allows, from the limit that the client set. */
export const allowSearches = (limit: unknown): number =>
  isSearchLimit(limit) ? Math.min(limit, MAX_SEARCHES) : DEFAULT_SEARCHES;

export const isSearchLimit = (limit: unknown): limit is number =>
  Number.isInteger(limit) && Number(limit) >= 1;
