/**
 * Units of money. Balances and postings are integer microcredits (1 credit = 1 US cent =
 * 1,000,000 microcredits); prices are integer picocredits per token. Money is never a float:
 * decimals exist only in the text and JSON that people read.
 */

export type Microcredits = bigint & { readonly unit: 'microcredit' };

/** 10⁻¹² credit. Exact costs are summed in this unit and rounded once. */
export type Picocredits = bigint & { readonly unit: 'picocredit' };

export const MICROCREDITS_PER_CREDIT = 1_000_000n;
const CREDITS_PER_DOLLAR = 100n;
const PICOCREDITS_PER_MICROCREDIT = 1_000_000n;
const BASIS_POINTS = 10_000n;
const DECIMALS = 6;

export const ZERO = 0n as Microcredits;

export const microcredits = (amount: bigint): Microcredits => amount as Microcredits;
export const wholeCredits = (credits: number | bigint): Microcredits =>
  microcredits(BigInt(credits) * MICROCREDITS_PER_CREDIT);

const ceilDivide = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

export type Charge = {
  /** The amount the user pays. */
  charge: Microcredits;
  /** The amount the provider bills for the tokens. */
  providerCost: Microcredits;
  /** The partner's commission: charge minus provider cost. */
  partnerShare: Microcredits;
};

/**
 * Turns an exact cost and a rate into a charge, rounded up once. This is the only place that rounds: holds
 * (`ledger_charge` in SQL, compared by a test), settlements, estimates and receipts all use it.
 */
export function chargeFor(exact: Picocredits, rateBp: number): Charge {
  const providerCost = ceilDivide(exact, PICOCREDITS_PER_MICROCREDIT);
  const charge = ceilDivide(
    exact * (BASIS_POINTS + BigInt(rateBp)),
    BASIS_POINTS * PICOCREDITS_PER_MICROCREDIT,
  );
  return {
    charge: microcredits(charge),
    providerCost: microcredits(providerCost),
    partnerShare: microcredits(charge - providerCost),
  };
}

/** Credits as a JSON number with up to six decimals. */
export function creditsToJson(amount: bigint): number {
  return Number(amount) / Number(MICROCREDITS_PER_CREDIT);
}

/** The same in USD, with up to eight decimals. */
export function dollarsToJson(amount: bigint): number {
  return Number(amount) / Number(MICROCREDITS_PER_CREDIT * CREDITS_PER_DOLLAR);
}

/** Credits as exact decimal text, for pages and the command line. */
export function formatCredits(amount: bigint): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS);
  const decimals = digits.slice(-DECIMALS).replace(/0{1,6}$/, '');
  return `${sign}${whole}${decimals ? `.${decimals}` : ''}`;
}

/** `12.5 credits`, exact. */
export const describeCredits = (amount: bigint): string =>
  `${formatCredits(amount)} ${amount === MICROCREDITS_PER_CREDIT ? 'credit' : 'credits'}`;

/** Parses decimal text such as `12.5` exactly; null unless it is a number with up to six decimals. */
export function parseCredits(text: string): Microcredits | null {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!match) return null;
  const [, sign, whole = '0', decimals = ''] = match;
  const amount = BigInt(whole) * MICROCREDITS_PER_CREDIT + BigInt(decimals.padEnd(DECIMALS, '0'));
  return microcredits(sign === '-' ? -amount : amount);
}
