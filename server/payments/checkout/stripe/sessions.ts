import type Stripe from 'stripe';
import { settings } from '../../../base/env';
import { assertNever, invariant } from '../../../base/errors';
import type { BuyerFromForm } from '../../invoices/issue';
import { classifyDecline } from '../failure';
import type {
  InvoiceFacts,
  PaymentForm,
  PaymentOrder,
  PaymentPage,
  ProcessorPayment,
  StartedSession,
} from '../payment-processor';
import { checkoutOrigin } from '../same-origin';
import { explainRefusal } from './account-not-ready';
import { idOf, isMissing, stripe } from './client';
import { localeOf } from './locale';
import {
  type CreatedWithin,
  describePayment,
  readAttempt,
  readQuote,
  readReversed,
  writeQuote,
} from './payment-data';

export async function createSession(order: PaymentOrder): Promise<StartedSession | 'unknown_customer'> {
  try {
    const session = await stripe().checkout.sessions.create(sessionParameters(order), {
      // Retrying the same payment without its customer is a different request.
      idempotencyKey: `ps_${order.checkoutSessionId}${order.customer ? '' : '_guest'}`,
    });
    return { processorSessionId: session.id, form: describeForm(order.page, session) };
  } catch (error) {
    if (order.customer && isMissing(error, 'customer')) return 'unknown_customer';
    throw explainRefusal(error);
  }
}

function sessionParameters(order: PaymentOrder): Stripe.Checkout.SessionCreateParams {
  const { checkoutSessionId } = order;
  return {
    mode: 'payment',
    submit_type: 'pay',
    client_reference_id: checkoutSessionId,
    metadata: { checkout_session: checkoutSessionId, ...writeQuote(order.quote) },
    payment_intent_data: describePayment(order),
    line_items: [{ quantity: 1, price_data: priceOf(order) }],
    // We quote the currency and its rate and lock them in our session.
    adaptive_pricing: { enabled: false },
    expires_at: Math.floor(order.expiresAt.getTime() / 1000),
    origin_context: order.isFromDeviceApp ? 'mobile_app' : 'web',
    locale: localeOf(order.language),
    ...chosenParameters(order),
    ...customerParameters(order),
    ...pageParameters(order.page),
  };
}

function priceOf({
  currency,
  amountMinor,
  description,
}: PaymentOrder): Stripe.Checkout.SessionCreateParams.LineItem.PriceData {
  return {
    currency,
    unit_amount: amountMinor,
    product_data: { name: description },
    // The buyer pays exactly the chosen amount: tax is included.
    ...(settings().STRIPE_AUTOMATIC_TAX && { tax_behavior: 'inclusive' }),
  };
}

/** Optional Stripe features that the operator has enabled. */
function chosenParameters(order: PaymentOrder): Partial<Stripe.Checkout.SessionCreateParams> {
  const { STRIPE_AUTOMATIC_TAX, STRIPE_TERMS_OF_SERVICE, STRIPE_INVOICES } = settings();
  return {
    ...(STRIPE_AUTOMATIC_TAX && { automatic_tax: { enabled: true } }),
    ...(asksForTaxId(order) && { tax_id_collection: { enabled: true } }),
    ...(STRIPE_TERMS_OF_SERVICE && { consent_collection: { terms_of_service: 'required' } }),
    ...(STRIPE_INVOICES && { invoice_creation: { enabled: true } }),
  };
}

/** A tick box saves the card for the next visit. Charges while the buyer is absent need a consent of their own. */
const SAVES_CARD = { payment_method_save: 'enabled' } as const;
const REMOVES_CARDS = { payment_method_remove: 'enabled' } as const;
/**
 * In a frame, a hostile page could make a click pay with a saved card; with a stolen session, the thief could.
 * Stripe shows those to any known customer: cards saved in a form are `always`, and none of ours is `unspecified`.
 */
const NO_SAVED_CARDS: Stripe.Checkout.SessionCreateParams.SavedPaymentMethodOptions = {
  allow_redisplay_filters: ['unspecified'],
};

/** The id decides about the tax, and both Stripe's invoices and ours show it. */
function asksForTaxId(order: PaymentOrder): boolean {
  const { STRIPE_AUTOMATIC_TAX, STRIPE_INVOICES } = settings();
  return STRIPE_AUTOMATIC_TAX || STRIPE_INVOICES || order.asksForTaxId;
}

function customerParameters(order: PaymentOrder): Partial<Stripe.Checkout.SessionCreateParams> {
  const { customer } = order;
  if (customer === null) return {};
  return {
    customer: customer.processorCustomerId,
    // For a known customer, Stripe requires saving the name with the tax id, and the address that tax depends on.
    ...(asksForTaxId(order) && {
      customer_update: { name: 'auto', ...(settings().STRIPE_AUTOMATIC_TAX && { address: 'auto' }) },
    }),
    saved_payment_method_options: {
      ...(customer.canSaveCard && SAVES_CARD),
      ...(customer.offersSavedCards ? REMOVES_CARDS : NO_SAVED_CARDS),
    },
  };
}

function pageParameters(page: PaymentPage): Partial<Stripe.Checkout.SessionCreateParams> {
  switch (page.kind) {
    case 'framed':
      // Bank pages cannot be framed, so payment methods with a redirect are off here.
      return { ui_mode: 'embedded_page', redirect_on_completion: 'never' };
    case 'first_party':
      return { ui_mode: 'embedded_page', redirect_on_completion: 'if_required', return_url: page.returnUrl };
    case 'hosted':
      return { ui_mode: 'hosted_page', success_url: page.successUrl, cancel_url: page.cancelUrl };
    default:
      return assertNever(page);
  }
}

function describeForm(page: PaymentPage, session: Stripe.Checkout.Session): PaymentForm {
  if (page.kind === 'hosted') {
    invariant(session.url, 'a hosted session has a URL');
    return { kind: 'hosted', url: session.url };
  }
  const { STRIPE_API_BASE, STRIPE_PUBLISHABLE_KEY } = settings();
  invariant(session.client_secret, 'an embedded session has a client secret');
  if (STRIPE_API_BASE !== undefined) {
    const address = new URL(`/embed/${session.client_secret}`, STRIPE_API_BASE);
    address.searchParams.set('parent_origin', checkoutOrigin());
    return { kind: 'sandbox', embedUrl: address.href };
  }
  invariant(STRIPE_PUBLISHABLE_KEY, 'STRIPE_PUBLISHABLE_KEY is set along with STRIPE_SECRET_KEY');
  return { kind: 'stripe', clientSecret: session.client_secret, publishableKey: STRIPE_PUBLISHABLE_KEY };
}

const CHARGE = 'payment_intent.latest_charge';
const TAXES = 'total_details.breakdown';

export async function readSession(processorSessionId: string): Promise<ProcessorPayment | null> {
  try {
    return toPayment(
      await stripe().checkout.sessions.retrieve(processorSessionId, { expand: [CHARGE, TAXES] }),
    );
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function* listPaidSessions(created: CreatedWithin): AsyncGenerator<ProcessorPayment> {
  const sessions = stripe().checkout.sessions.list({
    status: 'complete',
    created,
    limit: 100,
    expand: [`data.${CHARGE}`],
  });
  for await (const session of sessions) if (session.payment_status === 'paid') yield toPayment(session);
}

function toPayment(session: Stripe.Checkout.Session): ProcessorPayment {
  const intent = typeof session.payment_intent === 'string' ? null : session.payment_intent;
  return {
    reference: { processorSessionId: session.id, processorPaymentId: null },
    method: 'form',
    checkoutSessionId:
      session.client_reference_id === session.metadata?.checkout_session ? session.client_reference_id : null,
    createdAt: new Date(session.created * 1000),
    state: paymentState(session, intent),
    mode: session.mode,
    currency: session.currency,
    amountMinor: session.amount_total,
    taxMinor: session.total_details?.amount_tax ?? 0,
    forInvoice: {
      ...describeTax(session.total_details?.breakdown?.taxes ?? []),
      isInvoiced: session.invoice_creation?.enabled ?? false,
      buyer: describeBuyer(session),
    },
    failure: intent?.last_payment_error ? classifyDecline(intent.last_payment_error) : null,
    paymentId: intent?.id ?? null,
    ...readReversed(intent),
    attempt: readAttempt(intent),
    processorCustomerId: idOf(session.customer),
    quote: readQuote(session.metadata ?? {}),
  };
}

type TaxFacts = Pick<InvoiceFacts, 'taxPercent' | 'isReverseCharge'>;

function describeTax(taxes: Stripe.Checkout.Session.TotalDetails.Breakdown.Tax[]): TaxFacts {
  const [tax, ...others] = taxes;
  if (tax === undefined || others.length > 0) return { taxPercent: null, isReverseCharge: false };
  const isReverseCharge = tax.taxability_reason === 'reverse_charge';
  const percent = tax.rate.effective_percentage ?? tax.rate.percentage;
  return { taxPercent: isReverseCharge ? null : String(percent), isReverseCharge };
}

function describeBuyer({ customer_details: details }: Stripe.Checkout.Session): BuyerFromForm | null {
  const name = details?.business_name ?? details?.name;
  const { line1, line2, postal_code, city, state, country } = details?.address ?? {};
  const taxId = details?.tax_ids?.[0]?.value;
  if (!name || !country || !taxId) return null;
  const place = [postal_code, city].filter(Boolean).join(' ');
  const address = [line1, line2, place, state].filter((line): line is string => Boolean(line));
  return {
    name: name.normalize(),
    address: line1 ? address.map((line) => line.normalize()) : [],
    country,
    taxId,
  };
}

/** Read again each time, because the addresses of Stripe's invoices expire. */
export async function readInvoiceUrl(processorSessionId: string): Promise<string | null> {
  const { invoice } = await stripe().checkout.sessions.retrieve(processorSessionId, { expand: ['invoice'] });
  return typeof invoice === 'object' ? (invoice?.hosted_invoice_url ?? null) : null;
}

function paymentState(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): ProcessorPayment['state'] {
  if (session.status === 'expired') return 'expired';
  if (session.status !== 'complete') return 'open';
  if (session.payment_status !== 'unpaid') return 'paid';
  // The form is complete but the money has not arrived: the bank is still deciding, or has declined.
  return intent?.status === 'requires_payment_method' || intent?.status === 'canceled'
    ? 'failed'
    : 'processing';
}

export async function expireSession(processorSessionId: string): Promise<void> {
  await stripe().checkout.sessions.expire(processorSessionId);
}
