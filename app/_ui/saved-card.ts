/** A saved card, as pages show it. */
export type ShownCard = {
  id: string;
  brand: string;
  last4: string;
  expiryMonth: number;
  expiryYear: number;
  /** Removing it turns auto top-up off. */
  endsTopUp?: boolean;
};

/** `09/28`. */
export function writeExpiry({
  expiryMonth,
  expiryYear,
}: Pick<ShownCard, 'expiryMonth' | 'expiryYear'>): string {
  return `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`;
}
