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

export type PaymentMethod = Pick<Stripe.PaymentMethod, 'id' | 'object' | 'created' | 'type'> & {
  allow_redisplay: 'always' | 'limited' | 'unspecified';
  card: CardFacts;
  customer: string | null;
};

export type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'email' | 'metadata'> & {
  /** Kept from a form that asked for it, for tax. */
  address: { country: string } | null;
};

export type DeletedCustomer = Pick<Stripe.DeletedCustomer, 'id' | 'object' | 'deleted'>;

export type SetupIntent = Pick<
  Stripe.SetupIntent,
  'id' | 'object' | 'client_secret' | 'last_setup_error' | 'next_action' | 'status'
> & { customer: string; payment_method: string | null };

export type TaxCalculation = Pick<
  Stripe.Tax.Calculation,
  'amount_total' | 'currency' | 'customer' | 'object' | 'tax_amount_exclusive' | 'tax_amount_inclusive'
> & { id: string };

export type Refund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'failure_reason' | 'reason' | 'status'
> & { charge: string; payment_intent: string };

export const DISPUTE_STATUSES = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
] as const;

export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export type Dispute = Pick<
  Stripe.Dispute,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'is_charge_refundable' | 'reason'
> & {
  charge: string;
  evidence_details: { due_by: number };
  payment_intent: string;
  status: DisputeStatus;
};

export type FraudWarning = Pick<
  Stripe.Radar.EarlyFraudWarning,
  'id' | 'object' | 'actionable' | 'fraud_type'
> & { charge: string; payment_intent: string };

export type PaymentMethodDomain = Pick<
  Stripe.PaymentMethodDomain,
  'id' | 'object' | 'apple_pay' | 'domain_name' | 'enabled' | 'google_pay' | 'link'
>;

export type ConnectedAccount = Pick<
  Stripe.Account,
  'id' | 'object' | 'country' | 'details_submitted' | 'email' | 'metadata' | 'payouts_enabled'
> & {
  capabilities: { transfers: 'active' | 'inactive' | 'pending' };
  requirements: Pick<Stripe.Account.Requirements, 'currently_due' | 'past_due' | 'disabled_reason'>;
  tos_acceptance: { service_agreement: 'full' | 'recipient' };
};

export type ConnectedAccountRecord = {
  account: ConnectedAccount;
  /** What was transferred and not paid out to the bank, in cents. */
  balance: number;
  /** The payee no longer lets the platform use it. */
  isDeauthorized: boolean;
};

export type AccountLink = {
  id: string;
  account: string;
  return_url: string;
  refresh_url: string;
  expires_at: number;
  isUsed: boolean;
};

export type Transfer = Pick<
  Stripe.Transfer,
  'id' | 'object' | 'amount' | 'amount_reversed' | 'created' | 'currency' | 'metadata' | 'reversed'
> & { destination: string; transfer_group: string | null };

/** Of the platform, in cents. */
export type PlatformBalance = { available: number };

export type BankPayout = Pick<
  Stripe.Payout,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'failure_code' | 'failure_message'
> & { status: 'in_transit' | 'paid' | 'failed'; account: string };

export type EventType =
  | 'checkout.session.completed'
  | 'checkout.session.async_payment_succeeded'
  | 'checkout.session.async_payment_failed'
  | 'checkout.session.expired'
  | 'payment_intent.processing'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled'
  | 'charge.refunded'
  | 'charge.dispute.created'
  | 'charge.dispute.updated'
  | 'charge.dispute.closed'
  | 'refund.created'
  | 'refund.updated'
  | 'refund.failed'
  | 'radar.early_fraud_warning.created'
  | 'radar.early_fraud_warning.updated'
  | 'transfer.created'
  | 'transfer.reversed'
  | 'account.updated'
  | 'account.application.deauthorized'
  | 'capability.updated'
  | 'payout.paid'
  | 'payout.failed';

/** One event, as it is signed and sent. */
export type SentEvent = Pick<Stripe.EventBase, 'id' | 'object' | 'api_version' | 'created'> & {
  data: { object: object };
  type: EventType;
  /** The connected account that it is about. */
  account?: string;
};
