/** A list price: cents at least, and every digit that it has. */
export const inUsd = (price: string): string =>
  Number(price).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 8 });
