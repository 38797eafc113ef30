/** Writes `1 user` or `2 users`. */
export const countOf = (count: number, word: string): string => `${count} ${count === 1 ? word : `${word}s`}`;
