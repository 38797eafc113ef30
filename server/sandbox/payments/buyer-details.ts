import type Stripe from 'stripe';
import { z } from 'zod';
import { newStripeId } from './objects';
import type { SessionRecord } from './records';

/** What a session asks of the buyer beside the means of payment: a country for tax, and consent. */

/** Standard rates; enough countries to see tax of different sizes, and none. */
export const TAX_COUNTRIES = [
  { code: 'AT', label: 'Austria', percent: 20 },
  { code: 'DE', label: 'Germany', percent: 19 },
  { code: 'US', label: 'United States', percent: 0 },
] as const;

export type BuyerField = 'country' | 'terms';
export const buyerFields = {
  country: z.string().max(2).optional(),
  terms: z.string().max(20).optional(),
};
type BuyerForm = { [Field in BuyerField]?: string | undefined };

export const asksForCountry = ({ automatic_tax }: Stripe.Checkout.Session): boolean => automatic_tax.enabled;
export const asksForTerms = ({ consent_collection }: Stripe.Checkout.Session): boolean =>
  consent_collection?.terms_of_service === 'required';

export function checkBuyer(
  session: Stripe.Checkout.Session,
  { country, terms }: BuyerForm,
): Partial<Record<BuyerField, string>> {
  const isKnown = TAX_COUNTRIES.some(({ code }) => code === country);
  return {
    ...(asksForCountry(session) && !isKnown && { country: 'Choose your country.' }),
    ...(asksForTerms(session) && terms !== 'accepted' && { terms: 'Accept the terms to go on.' }),
  };
}

/** The session with the buyer's answers: tax worked out of the price, and consent noted down. */
export function withBuyer(record: SessionRecord, { country }: BuyerForm): SessionRecord {
  const session = { ...record.session };
  if (asksForTerms(session)) session.consent = { promotions: null, terms_of_service: 'accepted' };
  if (!asksForCountry(session)) return { ...record, session };
  const percent = TAX_COUNTRIES.find(({ code }) => code === country)?.percent ?? 0;
  const tax = taxWithin(session.amount_total ?? 0, percent);
  session.total_details = { amount_discount: 0, amount_shipping: 0, amount_tax: tax };
  session.automatic_tax = { ...session.automatic_tax, status: 'complete' };
  return { ...record, session, lineItems: record.lineItems.map((item) => ({ ...item, amount_tax: tax })) };
}

/** Of 12.00 that include 20 %, 2.00 are tax. */
function taxWithin(amount: number, percent: number): number {
  return Math.round((amount * percent) / (100 + percent));
}

/** An invoice comes with the payment where the session asked for it. */
export function invoiceOf({ invoice_creation }: Stripe.Checkout.Session): string | null {
  return invoice_creation?.enabled ? newStripeId('in') : null;
}
