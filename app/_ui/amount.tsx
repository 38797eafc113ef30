const CREDITS_PER_DOLLAR = 100;
const CREDIT_DECIMALS = 2;
const CHARGE_DECIMALS = 4;
const SMALLEST_SHOWN = 0.0001;

/** Formats credits: without decimals where whole, never rounded up. */
export function formatCredits(credits: number, language: string, decimals = CREDIT_DECIMALS): string {
  const scale = 10 ** decimals;
  // The small step keeps 0.29 from being read as 0.28999….
  const shown = Math.floor(credits * scale + 1e-6) / scale;
  return new Intl.NumberFormat(language, { maximumFractionDigits: decimals }).format(shown);
}

/** In a sentence, whole amounts have no cents; in a column, all have them. */
export function formatMoney(
  amount: number,
  currency: string,
  language: string,
  { inColumn = false }: { inColumn?: boolean } = {},
): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: Number.isInteger(amount) && !inColumn ? 0 : 2,
  }).format(amount);
}

/** Credits in a column: the same number of decimals in every row, never rounded up. */
export function inColumn(credits: number, decimals = CREDIT_DECIMALS): string {
  const scale = 10 ** decimals;
  return new Intl.NumberFormat('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(Math.floor(credits * scale + 1e-6) / scale);
}

/** The charge of one request: anything that was charged must not look free. */
export function writeCharge(credits: number): string {
  return credits > 0 && credits < SMALLEST_SHOWN ? `< ${SMALLEST_SHOWN}` : inColumn(credits, CHARGE_DECIMALS);
}

/** What credits are worth: `$12.34`, rounded down to the cent. */
export function writeWorth(credits: number): string {
  const cents = Math.floor(credits + 1e-6);
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(
    cents / CREDITS_PER_DOLLAR,
  );
}

/** Decimal numbers of one column, padded to the same number of decimals, so that their points align. */
export function alignDecimals(numbers: string[], atLeast = CREDIT_DECIMALS): string[] {
  const parts = numbers.map((number) => number.split('.'));
  const decimals = Math.max(atLeast, ...parts.map(([, fraction = '']) => fraction.length));
  return parts.map(([whole = '', fraction = '']) => `${whole}.${fraction.padEnd(decimals, '0')}`);
}

/** Credits with digits of equal width, so that a changing balance does not jump. */
export function Amount({
  credits,
  language,
  decimals,
}: {
  credits: number;
  language: string;
  decimals?: number;
}) {
  return <span className="tabular-nums">{formatCredits(credits, language, decimals)}</span>;
}
