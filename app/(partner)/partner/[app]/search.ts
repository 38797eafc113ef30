/** A page's query parameters. */
export type Search = Record<string, string | string[] | undefined>;

/** A URL with those parameters that are set. */
export function urlOf(path: string, search: Search): string {
  const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
  const query = new URLSearchParams(given as [string, string][]);
  return query.size === 0 ? path : `${path}?${query}`;
}

export const MAX_SEARCH = 200;

/** PostgreSQL can compare with neither of these. */
const UNSTORABLE = /\0|\p{Cs}/u;

/** What was searched for, unless it is empty or longer than the field allows. */
export function readSearched(value: string | string[] | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text !== '' && text.length <= MAX_SEARCH && !UNSTORABLE.test(text) ? text : undefined;
}

/** The value of a parameter if it is one that the page knows. */
export function readChoice<Choice extends string>(
  value: string | string[] | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === value);
}
