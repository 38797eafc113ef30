import type Stripe from 'stripe';
import { randomBase62 } from '../../server/base/ids';
import type { SessionParameters } from './session-parameters';
import { unixSeconds } from './time';

/** Stripe's objects, reduced to the fields that svc, its tests or the sandbox itself reads. */

export const newStripeId = (prefix: string): string => `${prefix}_${randomBase62(24)}`;

type SessionField =
  | 'id'
  | 'object'
  | 'cancel_url'
  | 'client_reference_id'
  | 'client_secret'
  | 'consent'
  | 'created'
  | 'expires_at'
  | 'metadata'
  | 'mode'
  | 'origin_context'
  | 'payment_status'
  | 'return_url'
  | 'status'
  | 'success_url'
  | 'url';
export type Session = Pick<Stripe.Checkout.Session, SessionField> & {
  amount_total: number;
  automatic_tax: Pick<Stripe.Checkout.Session.AutomaticTax, 'enabled' | 'status'>;
  consent_collection: { terms_of_service?: string | undefined } | null;
  currency: string;
  customer: string | null;
  customer_details: BusinessDetails | null;
  invoice: string | null;
  invoice_creation: { enabled: boolean } | null;
  locale: string | null;
  payment_intent: string | null;
  saved_payment_method_options: SessionParameters['saved_payment_method_options'] | null;
  setup_intent: string | null;
  redirect_on_completion: 'always' | 'if_required' | 'never' | null;
  tax_id_collection: { enabled: boolean };
  total_details: { amount_tax: number };
  ui_mode: 'embedded_page' | 'hosted_page';
};

type BusinessDetails = Pick<Stripe.Checkout.Session.CustomerDetails, 'business_name' | 'name' | 'tax_ids'> & {
  address: Stripe.Address;
};

export function buildSession(given: SessionParameters, baseUrl: string): Session {
  const id = `cs_test_a1${randomBase62(56)}`;
  const isEmbedded = given.ui_mode === 'embedded_page';
  const hasTax = given.automatic_tax?.enabled ?? false;
  return {
    id,
    object: 'checkout.session',
    amount_total: given.amountMinor,
    automatic_tax: { enabled: hasTax, status: hasTax ? 'requires_location_inputs' : null },
    cancel_url: given.cancel_url ?? null,
    client_reference_id: given.client_reference_id ?? null,
    client_secret: isEmbedded ? `${id}_secret_${randomBase62(48)}` : null,
    consent: null,
    consent_collection: given.consent_collection ?? null,
    created: unixSeconds(),
    currency: given.currency,
    customer: given.customer ?? null,
    customer_details: null,
    expires_at: given.expiresAt,
    invoice: null,
    invoice_creation: given.invoice_creation ?? null,
    locale: given.locale ?? null,
    metadata: given.metadata ?? {},
    mode: given.mode,
    origin_context: given.origin_context ?? null,
    payment_intent: null,
    payment_status: given.mode === 'setup' ? 'no_payment_required' : 'unpaid',
    redirect_on_completion: given.redirect_on_completion ?? null,
    ...(given.return_url !== undefined && { return_url: given.return_url }),
    saved_payment_method_options: given.saved_payment_method_options ?? null,
    setup_intent: null,
    status: 'open',
    success_url: given.success_url ?? null,
    tax_id_collection: given.tax_id_collection ?? { enabled: false },
    total_details: { amount_tax: 0 },
    ui_mode: given.ui_mode,
    url: isEmbedded ? null : `${baseUrl}/pay/${id}#${randomBase62(64)}`,
  };
}

type IntentField =
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_received'
  | 'client_secret'
  | 'created'
  | 'currency'
  | 'last_payment_error'
  | 'metadata'
  | 'next_action'
  | 'status';
/** What the caller may set besides, such as a description, is kept and returned as it was given. */
export type Intent = Pick<Stripe.PaymentIntent, IntentField> & {
  customer: string | null;
  latest_charge: string | null;
  payment_method: string | null;
};

export function buildIntent(
  given: Pick<Intent, 'amount' | 'currency'> &
    Partial<Pick<Intent, 'customer' | 'metadata' | 'payment_method'>>,
): Intent {
  const id = newStripeId('pi');
  return {
    id,
    object: 'payment_intent',
    amount_received: 0,
    created: unixSeconds(),
    client_secret: `${id}_secret_${randomBase62(25)}`,
    customer: null,
    last_payment_error: null,
    latest_charge: null,
    metadata: {},
    next_action: null,
    payment_method: null,
    status: 'requires_payment_method',
    ...given,
  };
}

type ChargeField =
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_refunded'
  | 'created'
  | 'currency'
  | 'disputed'
  | 'paid'
  | 'status';
export type Charge = Pick<Stripe.Charge, ChargeField> & {
  payment_intent: string;
  payment_method: string;
  payment_method_details: PaidWith;
  refunded: boolean;
};
export type CardFacts = {
  brand: string;
  exp_month: number;
  exp_year: number;
  /** The same for the same number. */
  fingerprint: string;
  last4: string;
};
export type PaidWith =
  | { type: 'card'; card: CardFacts }
  | { type: 'sepa_debit'; sepa_debit: { last4: string } };

/** A charge that the bank has yet to decide. */
export function buildCharge(intent: Intent, paidWith: PaidWith): Charge {
  return {
    id: newStripeId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_refunded: 0,
    created: unixSeconds(),
    currency: intent.currency,
    disputed: false,
    paid: false,
    payment_intent: intent.id,
    payment_method: newStripeId('pm'),
    payment_method_details: paidWith,
    refunded: false,
    status: 'pending',
  };
}
