/** What the form of auto top-up suggests. */
export const FIRST_CHOICE = {
  threshold: 500,
  currency: 'usd',
  amountMinor: 1_000,
  ceilingMinor: 5_000,
} as const;
