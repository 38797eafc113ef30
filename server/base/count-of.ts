/** Writes `1 user` or `2,000 users`. */
export const countOf = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? word : `${word}s`}`;
