/** A list price: at least cents, and every digit it has. */
export const inUsd = (price: string): string =>
  Number(price).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 8 });
