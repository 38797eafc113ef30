export const BILLING_PAGES = [
  { href: '/account/purchases', label: 'Purchases' },
  { href: '/account/payment', label: 'Payment' },
  { href: '/account/billing', label: 'Invoices' },
  { href: '/account/statements', label: 'Statements' },
] as const;

/** One entry of the navigation. */
export const BILLING = {
  href: BILLING_PAGES[0].href,
  label: 'Billing',
  others: BILLING_PAGES.map(({ href }) => href),
};
