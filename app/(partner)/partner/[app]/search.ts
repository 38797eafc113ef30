/** The part of an address behind the question mark, as a page is given it. */
export type Search = Record<string, string | string[] | undefined>;

/** An address with what is set of a search, the rest left out. */
export function addressOf(path: string, search: Search): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The value of a search when it is one of those that a page knows. */
export function readChoice<Choice extends string>(
  value: string | string[] | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === value);
}
