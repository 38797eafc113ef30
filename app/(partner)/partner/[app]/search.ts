/** A page's query parameters. */
export type Search = Record<string, string | string[] | undefined>;

/** A URL with those parameters that are set. */
export function urlOf(path: string, search: Search): string {
  const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
  const query = new URLSearchParams(given as [string, string][]);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The value of a parameter if it is one that the page knows. */
export function readChoice<Choice extends string>(
  value: string | string[] | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === value);
}
