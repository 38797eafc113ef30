/** A saved card, as pages show it. */
export type ShownCard = { id: string; brand: string; last4: string; expiryMonth: number; expiryYear: number };

const BRANDS: Record<string, string> = {
  amex: 'Amex',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** `Visa •••• 4242`. */
export function nameCard({ brand, last4 }: Pick<ShownCard, 'brand' | 'last4'>): string {
  const name = BRANDS[brand];
  return name === undefined ? `•••• ${last4}` : `${name} •••• ${last4}`;
}

/** `09/28`. */
export function writeExpiry({
  expiryMonth,
  expiryYear,
}: Pick<ShownCard, 'expiryMonth' | 'expiryYear'>): string {
  return `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`;
}
