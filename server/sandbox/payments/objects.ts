import type Stripe from 'stripe';
import { randomBase62 } from '../../ids';
import type { CardDetails } from './card-form';
import type { SessionRecord } from './records';
import type { SessionParameters } from './session-parameters';
import { unixSeconds } from './time';

/** Objects with the fields Stripe gives them. The SDK's own types keep the list complete. */

export const newStripeId = (prefix: string): string => `${prefix}_${randomBase62(24)}`;

export function buildSession(parameters: SessionParameters, baseUrl: string): Stripe.Checkout.Session {
  const id = `cs_test_a1${randomBase62(56)}`;
  const embedded = parameters.ui_mode === 'embedded_page';
  return {
    ...SESSION_DEFAULTS,
    id,
    object: 'checkout.session',
    amount_subtotal: parameters.amountTotal,
    amount_total: parameters.amountTotal,
    ...buildChoices(parameters),
    cancel_url: parameters.cancel_url ?? null,
    client_reference_id: parameters.client_reference_id ?? null,
    client_secret: embedded ? `${id}_secret_${randomBase62(48)}` : null,
    created: unixSeconds(),
    currency: parameters.chargeCurrency,
    customer: parameters.customer ?? null,
    customer_email: parameters.customer_email ?? null,
    customer_details:
      parameters.customer_email === undefined ? null : buildCustomerDetails(parameters.customer_email, null),
    expires_at: parameters.expiresAt,
    locale: (parameters.locale ?? null) as Stripe.Checkout.Session.Locale | null,
    metadata: parameters.metadata ?? {},
    mode: 'payment',
    origin_context: parameters.origin_context ?? null,
    ...(embedded && { redirect_on_completion: parameters.redirect_on_completion ?? 'always' }),
    ...(parameters.return_url !== undefined && { return_url: parameters.return_url }),
    submit_type: parameters.submit_type ?? null,
    success_url: parameters.success_url ?? null,
    ui_mode: parameters.ui_mode,
    url: embedded ? null : `${baseUrl}/pay/${id}#${randomBase62(64)}`,
    ...(parameters.branding_settings?.display_name !== undefined && {
      branding_settings: buildBranding(parameters.branding_settings.display_name),
    }),
  };
}

/** What the session was asked to do besides taking the money. */
function buildChoices({
  automatic_tax: tax,
  billing_address_collection: address,
  consent_collection: consent,
  customer_creation = 'if_required',
  invoice_creation: invoice,
  saved_payment_method_options: saved,
  tax_id_collection: taxId,
}: SessionParameters): Partial<Stripe.Checkout.Session> {
  return {
    billing_address_collection: address ?? null,
    customer_creation,
    ...(tax?.enabled && {
      automatic_tax: {
        enabled: true,
        liability: { type: 'self' },
        provider: 'stripe',
        status: 'requires_location_inputs',
      },
    }),
    ...(consent && {
      consent_collection: {
        payment_method_reuse_agreement: null,
        promotions: consent.promotions ?? null,
        terms_of_service: consent.terms_of_service ?? null,
      },
    }),
    ...(invoice && { invoice_creation: buildInvoiceCreation(invoice.enabled) }),
    ...(saved && {
      saved_payment_method_options: {
        allow_redisplay_filters: saved.allow_redisplay_filters ?? ['always'],
        payment_method_remove: saved.payment_method_remove ?? 'disabled',
        payment_method_save: saved.payment_method_save ?? 'disabled',
      },
    }),
    tax_id_collection: { enabled: taxId?.enabled ?? false, required: taxId?.required ?? 'never' },
  };
}

function buildInvoiceCreation(enabled: boolean): Stripe.Checkout.Session.InvoiceCreation {
  return {
    enabled,
    invoice_data: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
      metadata: {},
      rendering_options: null,
    },
  };
}

const SESSION_DEFAULTS = {
  adaptive_pricing: { enabled: false },
  after_expiration: null,
  allow_promotion_codes: null,
  allowed_payment_method_types: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
  customer_account: null,
  customer_creation: 'if_required',
  discounts: [],
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  livemode: false,
  managed_payments: null,
  payment_intent: null,
  payment_link: null,
  payment_method_collection: 'if_required',
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card', 'sepa_debit'],
  payment_status: 'unpaid',
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  status: 'open',
  subscription: null,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  wallet_options: null,
} satisfies Partial<Stripe.Checkout.Session>;

function buildBranding(displayName: string): Stripe.Checkout.Session.BrandingSettings {
  return {
    background_color: '#ffffff',
    border_style: 'rounded',
    button_color: '#0074d4',
    display_name: displayName,
    font_family: 'default',
    icon: null,
    logo: null,
  };
}

export function buildCustomerDetails(
  email: string | null,
  name: string | null,
): Stripe.Checkout.Session.CustomerDetails {
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
}

export function buildLineItems(parameters: SessionParameters): Stripe.LineItem[] {
  return parameters.line_items.map((item) => {
    const amount = item.quantity * item.price_data.unit_amount;
    return {
      id: newStripeId('li'),
      object: 'item',
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount,
      currency: item.price_data.currency,
      description: item.price_data.product_data.name,
      metadata: item.metadata ?? {},
      price: buildPrice(item.price_data),
      quantity: item.quantity,
    };
  });
}

function buildPrice(data: SessionParameters['line_items'][number]['price_data']): Stripe.Price {
  return {
    id: newStripeId('price'),
    object: 'price',
    active: false,
    billing_scheme: 'per_unit',
    created: unixSeconds(),
    currency: data.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: newStripeId('prod'),
    recurring: null,
    tax_behavior: data.tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'one_time',
    unit_amount: data.unit_amount,
    // On the wire a decimal is text; the SDK's type is what it makes of it.
    unit_amount_decimal: String(data.unit_amount) as unknown as Stripe.Decimal,
  };
}

export function buildPaymentIntent({ session, intentData }: SessionRecord): Stripe.PaymentIntent {
  const { amount_total: amount, currency, customer } = session;
  return { ...buildIntent({ amount: amount ?? 0, currency: currency ?? 'usd' }), customer, ...intentData };
}

export function buildIntent({
  amount,
  currency,
}: {
  amount: number;
  currency: string;
}): Stripe.PaymentIntent {
  const id = newStripeId('pi');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomBase62(25)}`,
    confirmation_method: 'automatic',
    created: unixSeconds(),
    currency,
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
}

type ChargeOutcome = {
  card: CardDetails;
  failure: { code: string; declineCode: string; message: string } | null;
};

export function buildCharge(intent: Stripe.PaymentIntent, { card, failure }: ChargeOutcome): Stripe.Charge {
  return {
    id: newStripeId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: failure === null ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: failure === null ? newStripeId('txn') : null,
    billing_details: { address: null, email: null, name: card.name, phone: null, tax_id: null },
    calculated_statement_descriptor: 'SANDBOX',
    captured: failure === null,
    created: unixSeconds(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: buildOutcome(failure),
    paid: failure === null,
    payment_intent: intent.id,
    payment_method: newStripeId('pm'),
    payment_method_details: buildCardDetails(card),
    radar_options: {},
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: failure === null ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: intent.transfer_group,
  };
}

/** A debit that the bank has yet to decide. */
export function buildBankCharge(
  intent: Stripe.PaymentIntent,
  { iban, name }: { iban: string; name: string },
): Stripe.Charge {
  const card = { number: '', expiryMonth: 0, expiryYear: 0, name };
  const details = {
    bank_code: '19043',
    branch_code: '',
    country: 'AT',
    fingerprint: null,
    last4: iban.slice(-4),
    mandate: null,
  };
  return {
    ...buildCharge(intent, { card, failure: null }),
    captured: false,
    paid: false,
    status: 'pending',
    payment_method_details: {
      type: 'sepa_debit',
      sepa_debit: details as unknown as Stripe.Charge.PaymentMethodDetails.SepaDebit,
    },
  };
}

function buildOutcome(failure: ChargeOutcome['failure']): Stripe.Charge.Outcome {
  return {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: null,
    network_status: failure === null ? 'approved_by_network' : 'declined_by_network',
    reason: failure?.declineCode ?? null,
    risk_level: 'normal',
    seller_message: failure === null ? 'Payment complete.' : 'The bank declined the payment.',
    type: failure === null ? 'authorized' : 'issuer_declined',
  };
}

function buildCardDetails(card: CardDetails): Stripe.Charge.PaymentMethodDetails {
  const details = {
    brand: 'visa',
    country: 'US',
    exp_month: card.expiryMonth,
    exp_year: card.expiryYear,
    funding: 'credit',
    last4: card.number.slice(-4),
    network: 'visa',
  };
  return { type: 'card', card: details as Stripe.Charge.PaymentMethodDetails.Card };
}

export function buildRefund(
  charge: Stripe.Charge,
  amount: number,
  given: { reason?: string | undefined; metadata?: Stripe.Metadata | undefined },
): Stripe.Refund {
  return {
    id: newStripeId('re'),
    object: 'refund',
    amount,
    balance_transaction: newStripeId('txn'),
    charge: charge.id,
    created: unixSeconds(),
    currency: charge.currency,
    customer: null,
    customer_account: null,
    destination_details: {
      type: 'card',
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
    },
    metadata: given.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: given.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
