import type { Count } from '@/texts/say';

const CREDITS_PER_DOLLAR = 100;
const CREDIT_DECIMALS = 2;
const CHARGE_DECIMALS = 4;

/** Formats credits: without decimals where whole, never rounded up, and nothing that is left as zero. */
export function formatCredits(credits: number, language: string, decimals = CREDIT_DECIMALS): string {
  return writeFloor(credits, new Intl.NumberFormat(language, { maximumFractionDigits: decimals }));
}

/** Rounded down to the last decimal, or `< 0.01`. */
function writeFloor(amount: number, format: Intl.NumberFormat): string {
  const scale = 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0);
  // The small step keeps 0.29 from being read as 0.28999….
  const shown = Math.floor(amount * scale + 1e-6);
  return shown === 0 && amount > 0 ? `< ${format.format(1 / scale)}` : format.format(shown / scale);
}

/** Credits for a text that counts them. */
export const countCredits = (credits: number, language: string): Count => ({
  value: Math.floor(credits * 10 ** CREDIT_DECIMALS + 1e-6) / 10 ** CREDIT_DECIMALS,
  shown: formatCredits(credits, language),
});

/** Before a number was entered. */
export const UNKNOWN_COUNT: Count = { value: 0, shown: '…' };

/** To choose from, whole amounts have no cents. What is paid or listed (`inColumn`) has them. */
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
  const fixed = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return writeFloor(credits, new Intl.NumberFormat('en', fixed));
}

/** The charge of one request. */
export const writeCharge = (credits: number): string => inColumn(credits, CHARGE_DECIMALS);

/** What credits are worth: `$12.34`, rounded down to the cent, or `less than $0.01`. */
export function writeWorth(credits: number): string {
  const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
  return writeFloor(credits / CREDITS_PER_DOLLAR, dollars).replace('<', 'less than');
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
