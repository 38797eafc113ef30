/** Formats 1000 cents as `$10` and 1250 as `$12.50`. */
export function formatMoney(minorUnits: number, currency: string): string {
  const options = { style: 'currency', currency } as const;
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en-US', options).resolvedOptions();
  const amount = minorUnits / 10 ** digits;
  const minimumFractionDigits = Number.isInteger(amount) ? 0 : digits;
  return new Intl.NumberFormat('en-US', { ...options, minimumFractionDigits }).format(amount);
}
