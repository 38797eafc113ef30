import type { Json } from './neutral';
import { asArray, asObject, asText, refuse } from './read-fields';

/** The web searches that a provider runs for a request: their limits, and what the formats have in common. */

/** Of a request that sets no limit. */
export const DEFAULT_SEARCHES = 5;
/** More would not fit into the context window of most models. */
export const MAX_SEARCHES = 20;

/** The most searches that a request allows, from the limit that the client set. */
export const allowSearches = (limit: unknown): number =>
  isSearchLimit(limit) ? Math.min(limit, MAX_SEARCHES) : DEFAULT_SEARCHES;

export const isSearchLimit = (limit: unknown): limit is number =>
  Number.isInteger(limit) && Number(limit) >= 1;

const LOCATION_FIELDS = ['city', 'region', 'country', 'timezone'];

/** Where the user is, for results from there; null if the client does not say. */
export function readLocation(location: unknown): Json | null {
  const given = asObject(location);
  const known = LOCATION_FIELDS.flatMap((name) => (asText(given[name]) === '' ? [] : [[name, given[name]]]));
  return known.length === 0 ? null : Object.fromEntries(known);
}

export function readDomains(domains: unknown, param: string): string[] {
  if (domains == null) return [];
  if (!Array.isArray(domains) || !domains.every((domain) => typeof domain === 'string'))
    throw refuse(param, 'must be an array of domains');
  return asArray(domains).map(asText);
}
