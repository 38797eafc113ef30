/** Formats 1000 cents as `$10.00`. */
export function formatMoney(minorUnits: number, currency: string, language = 'en-US'): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(minorUnits / 10 ** digits);
}
