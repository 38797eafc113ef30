const counts = new Intl.NumberFormat('en');

/** Writes `1 user` or `1,234 users`. */
export const countOf = (count: number, word: string): string =>
  `${counts.format(count)} ${count === 1 ? word : `${word}s`}`;
