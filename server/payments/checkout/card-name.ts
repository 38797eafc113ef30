/** The name of a saved card, in mails and on pages. No imports of the server: client components use it too. */

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
export function nameCard({ brand, last4 }: { brand: string; last4: string }): string {
  const name = BRANDS[brand];
  return name === undefined ? `•••• ${last4}` : `${name} •••• ${last4}`;
}
