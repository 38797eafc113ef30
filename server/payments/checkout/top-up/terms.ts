import type { Currency } from '../amounts';
import { nameCard } from '../card-name';

/** What a user agrees to. No imports of the server: the form shows the same words while the user types. */
export type TopUpTerms = {
  /** Credits. */
  threshold: number;
  currency: Currency;
  /** Each purchase, and the most in a calendar month. */
  amountMinor: number;
  ceilingMinor: number;
};

export type TopUpCard = { brand: string; last4: string };

/** Raise it with every change of the words. */
export const CONSENT_VERSION = '2026-11-22';

export function writeConsent(brand: string, terms: TopUpTerms, card: TopUpCard): string {
  const money = (minor: number) => formatMinor(minor, terms.currency);
  const credits = new Intl.NumberFormat('en').format(terms.threshold);
  return (
    `I authorise ${brand} to charge ${money(terms.amountMinor)} to my ${nameCard(card)} each time I have fewer than ` +
    `${credits} credits, while I am not present, and at most ${money(terms.ceilingMinor)} in a calendar month (UTC). ` +
    'I can change this or turn it off at any time on this page.'
  );
}

export function formatMinor(amountMinor: number, currency: string, language = 'en'): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amountMinor / 100);
}
