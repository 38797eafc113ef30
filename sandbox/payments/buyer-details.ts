import { z } from 'zod';
import { type BusinessField, businessFields, isReverseCharge, withBusiness } from './business';
import { newStripeId, type Session } from './objects';
import type { SessionRecord } from './records';

/** What a session asks of the buyer besides the card or account: a country for tax, and consent. */

/** Standard rates: enough countries to see a higher, a lower and no tax. */
export const TAX_COUNTRIES = [
  { code: 'AT', label: 'Austria', percent: 20 },
  { code: 'DE', label: 'Germany', percent: 19 },
  { code: 'US', label: 'United States', percent: 0 },
] as const;

export type BuyerField = 'country' | 'terms' | BusinessField;
export const buyerFields = {
  country: z.string().max(2).optional(),
  terms: z.string().max(20).optional(),
  ...businessFields,
};
type BuyerForm = { [Field in BuyerField]?: string | undefined };

export const asksForCountry = ({ automatic_tax }: Session): boolean => automatic_tax.enabled;
export const asksForTerms = ({ consent_collection }: Session): boolean =>
  consent_collection?.terms_of_service === 'required';

export function checkBuyer(
  session: Session,
  { country, terms }: BuyerForm,
): Partial<Record<BuyerField, string>> {
  const isKnown = TAX_COUNTRIES.some(({ code }) => code === country);
  return {
    ...(asksForCountry(session) && !isKnown && { country: 'Choose your country.' }),
    ...(asksForTerms(session) && terms !== 'accepted' && { terms: 'Accept the terms to continue.' }),
  };
}

/** The session with the buyer's input: the tax contained in the price, and the consent. */
export function withBuyer(given: SessionRecord, form: BuyerForm): SessionRecord {
  const record = withBusiness(given, form);
  const session = { ...record.session };
  if (asksForTerms(session)) session.consent = { promotions: null, terms_of_service: 'accepted' };
  if (!asksForCountry(session)) return { ...record, session };
  const percent = isReverseCharge(form)
    ? 0
    : (TAX_COUNTRIES.find(({ code }) => code === form.country)?.percent ?? 0);
  session.total_details = { amount_tax: taxWithin(session.amount_total, percent) };
  session.automatic_tax = { ...session.automatic_tax, status: 'complete' };
  return { ...record, session, taxPercent: isReverseCharge(form) ? 'reverse_charge' : percent };
}

/** A price of 12.00 that includes 20 % tax contains 2.00 of tax. */
export function taxWithin(amount: number, percent: number): number {
  return Math.round((amount * percent) / (100 + percent));
}

/** Stripe creates the invoice with the payment, if the session asked for one. */
export function invoiceOf({ invoice_creation }: Session): string | null {
  return invoice_creation?.enabled ? newStripeId('in') : null;
}
