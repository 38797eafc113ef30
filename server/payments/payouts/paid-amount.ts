/** Amounts in the currency that arrived, which can be any: in minor units, with the decimals of ISO 4217. */

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** `currency`: as stored, in lower case. */
export const isCurrency = (currency: string): boolean =>
  currency === currency.toLowerCase() && CURRENCIES.has(currency.toUpperCase());

export function decimalsOf(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Reads decimal text such as `92.50` exactly; null unless it is a positive amount of this currency. */
export function parsePaidAmount(text: string, currency: string): bigint | null {
  const [, whole = '', decimals = ''] = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(text.trim()) ?? [];
  const digits = decimalsOf(currency);
  if (whole === '' || decimals.length > digits) return null;
  const minor = BigInt(whole + decimals.padEnd(digits, '0'));
  return minor > 0n ? minor : null;
}

export function writePaidAmount(minor: bigint, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  return format.format(Number(minor) / 10 ** decimalsOf(currency));
}
