const CENTS = 100;
const RATE_SCALE = 1_000_000;

/** 12, 12.5 or 12,50 as a number; null for anything else. */
export function parseAmount(typed: string): number | null {
  const match = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(typed.trim());
  return match ? Number(`${match[1]}.${match[2] ?? '0'}`) : null;
}

/** Whole credits for an amount, rounded down as the server does. */
export function creditsFor(amount: number, rate: number): number {
  const cents = BigInt(Math.round(amount * CENTS));
  return Number((cents * BigInt(Math.round(rate * RATE_SCALE))) / BigInt(RATE_SCALE));
}

/** What a promotion code gives with a purchase, in credits: a fixed bonus or a percentage of the credits bought. */
export type Offer = {
  code: string;
  credits: number | null;
  percent: number | null;
  max_credits: number | null;
  /** The credits that a purchase must buy. */
  min_purchase: number;
};

/** The bonus for a number of whole credits, as the server calculates it. 0 if the purchase is too small. */
export function bonusFor(
  { credits, percent, max_credits: most, min_purchase: least }: Omit<Offer, 'code'>,
  bought: number,
): number {
  if (bought < least) return 0;
  if (percent === null) return credits ?? 0;
  return Math.min(most ?? Number.POSITIVE_INFINITY, Math.floor((bought * percent) / 100));
}

/** How many answers of this price credits pay for, to two digits and never more. Null if that says nothing. */
export function countAnswers(credits: number, each: number): number | null {
  const answers = Math.floor(credits / each);
  if (!Number.isFinite(answers) || answers < 1) return null;
  const step = 10 ** Math.max(0, String(answers).length - 2);
  return Math.floor(answers / step) * step;
}

/** `€`, and how many dollars it buys. */
export function describeRate(rate: number, currency: string, language: string): { from: string; to: string } {
  const dollars = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 6,
  });
  return { from: currency.toUpperCase(), to: dollars.format(rate) };
}
