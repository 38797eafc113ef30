import type Stripe from 'stripe';
import { z } from 'zod';
import type { Session } from './objects';
import type { Records, SessionRecord } from './records';

/** What a session that collects tax ids may ask of a business: nothing of it is required. */

export const BUSINESS_FIELDS = [
  { name: 'business_name', label: 'Business name', autocomplete: 'organization' },
  { name: 'line1', label: 'Address', autocomplete: 'address-line1' },
  { name: 'postal_code', label: 'Postal code', autocomplete: 'postal-code' },
  { name: 'city', label: 'City', autocomplete: 'address-level2' },
  { name: 'tax_id', label: 'Tax ID', autocomplete: 'off' },
] as const;
export type BusinessField = (typeof BUSINESS_FIELDS)[number]['name'];

const text = z.string().max(200).optional();
export const businessFields = {
  business_name: text,
  line1: text,
  postal_code: text,
  city: text,
  tax_id: text,
};
type BusinessForm = { [Field in BusinessField | 'country']?: string | undefined };

export const asksForBusiness = ({ tax_id_collection }: Session): boolean => tax_id_collection.enabled;

/** The account of the sandbox is in Austria, so that businesses elsewhere in the EU owe the tax themselves. */
export const isReverseCharge = ({ country, tax_id }: BusinessForm): boolean =>
  Boolean(tax_id) && country === 'DE';

export function withBusiness(record: SessionRecord, form: BusinessForm): SessionRecord {
  const { business_name, line1, postal_code, city, country, tax_id } = form;
  if (!asksForBusiness(record.session) || !(business_name || tax_id)) return record;
  const customer_details = {
    name: business_name || null,
    business_name: business_name || null,
    address: {
      line1: line1 || null,
      line2: null,
      postal_code: postal_code || null,
      city: city || null,
      state: null,
      // A card form asks for the country in any case.
      country: country || 'AT',
    },
    tax_ids: tax_id ? [{ type: 'eu_vat' as const, value: tax_id }] : [],
  };
  return { ...record, session: { ...record.session, customer_details } };
}

type Taxes = Pick<Stripe.Checkout.Session.TotalDetails.Breakdown.Tax, 'amount' | 'taxability_reason'> & {
  rate: { percentage: number; effective_percentage: number };
};

/** Stripe returns the rates only to a caller who asks for them. */
export function withTaxes(records: Records, session: Session): object {
  const { taxPercent } = records.require('session', session.id);
  const tax = taxPercent === undefined ? [] : [describeTax(session, taxPercent)];
  return {
    ...session,
    total_details: { ...session.total_details, breakdown: { discounts: [], taxes: tax } },
  };
}

function describeTax({ total_details }: Session, percent: number | 'reverse_charge'): Taxes {
  const percentage = percent === 'reverse_charge' ? 0 : percent;
  return {
    amount: total_details.amount_tax,
    rate: { percentage, effective_percentage: percentage },
    taxability_reason: percent === 'reverse_charge' ? 'reverse_charge' : 'standard_rated',
  };
}

/** The sandbox has no page for an invoice: the address is of the form that Stripe's have. */
export function withInvoice(session: Session): object {
  const { invoice: id } = session;
  const hosted_invoice_url = `https://invoice.stripe.com/i/${id}`;
  return { ...session, invoice: id === null ? null : { id, object: 'invoice', hosted_invoice_url } };
}
