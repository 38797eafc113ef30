import Stripe from 'stripe';
import { settings } from '../env';
import { ApiError, assertNever, invariant } from '../errors';
import { describeDecline } from './decline-text';
import type {
  PaymentForm,
  PaymentOrder,
  PaymentPage,
  PaymentProcessor,
  ProcessorEvent,
  ProcessorPayment,
  ProcessorReversals,
} from './payment-processor';
import { checkoutOrigin } from './same-origin';

const TIMEOUT_MS = 15_000;

/** The events that mean "look at this session again"; what happened is read from Stripe itself. */
const SESSION_EVENTS = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
]);

const REVERSAL_EVENTS = new Set([
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.refunded',
  'charge.refund.updated',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
]);

/** A bank that only asks has taken nothing; what was won or prevented is ours again. */
const HARMLESS_DISPUTE = /^(warning_.*|won|prevented)$/;
const VOID_REFUND = /^(failed|canceled)$/;
const MOST_PER_PAYMENT = 100;

export const stripeProcessor: PaymentProcessor = {
  createSession,
  readSession,
  readReversals,
  expireSession,
  readEvent,
};

async function createSession(
  order: PaymentOrder,
): Promise<{ processorSessionId: string; form: PaymentForm }> {
  const session = await stripe().checkout.sessions.create(
    {
      mode: 'payment',
      client_reference_id: order.checkoutSessionId,
      metadata: { checkout_session: order.checkoutSessionId },
      payment_intent_data: {
        description: order.description,
        metadata: { checkout_session: order.checkoutSessionId },
      },
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: order.currency,
            unit_amount: order.amountMinor,
            product_data: { name: order.description },
          },
        },
      ],
      // The currency and its rate are quoted by us and locked on our session.
      adaptive_pricing: { enabled: false },
      expires_at: Math.floor(order.expiresAt.getTime() / 1000),
      ...pageParameters(order.page),
    },
    { idempotencyKey: `ps_${order.checkoutSessionId}` },
  );
  return { processorSessionId: session.id, form: describeForm(order.page, session) };
}

function pageParameters(page: PaymentPage): Partial<Stripe.Checkout.SessionCreateParams> {
  switch (page.kind) {
    case 'framed':
      // Pages of banks refuse to be framed, so methods that redirect are off here.
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
  invariant(STRIPE_PUBLISHABLE_KEY, 'STRIPE_PUBLISHABLE_KEY is set beside STRIPE_SECRET_KEY');
  return { kind: 'stripe', clientSecret: session.client_secret, publishableKey: STRIPE_PUBLISHABLE_KEY };
}

async function readSession(processorSessionId: string): Promise<ProcessorPayment | null> {
  try {
    return toPayment(
      await stripe().checkout.sessions.retrieve(processorSessionId, {
        expand: ['payment_intent.latest_charge'],
      }),
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return null;
    throw error;
  }
}

function toPayment(session: Stripe.Checkout.Session): ProcessorPayment {
  const intent = typeof session.payment_intent === 'string' ? null : session.payment_intent;
  return {
    checkoutSessionId: session.client_reference_id,
    state: paymentState(session, intent),
    mode: session.mode,
    currency: session.currency,
    amountMinor: session.amount_total,
    failure: intent?.last_payment_error ? describeDecline(intent.last_payment_error) : null,
    reversedPaymentId: intent && isReversed(intent.latest_charge) ? intent.id : null,
  };
}

function isReversed(charge: Stripe.PaymentIntent['latest_charge'] | undefined): boolean {
  return typeof charge === 'object' && charge !== null && (charge.amount_refunded > 0 || charge.disputed);
}

async function readReversals(paymentId: string): Promise<ProcessorReversals | null> {
  const about = { payment_intent: paymentId, limit: MOST_PER_PAYMENT };
  const [intent, refunds, disputes] = await Promise.all([
    stripe().paymentIntents.retrieve(paymentId),
    stripe().refunds.list(about),
    stripe().disputes.list(about),
  ]);
  const checkoutSessionId = intent.metadata.checkout_session;
  if (checkoutSessionId === undefined) return null;
  return {
    checkoutSessionId,
    refundedMinor: sumAmounts(refunds.data.filter(({ status }) => !VOID_REFUND.test(status ?? ''))),
    disputedMinor: sumAmounts(disputes.data.filter(({ status }) => !HARMLESS_DISPUTE.test(status))),
  };
}

function sumAmounts(parts: { amount: number }[]): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

function paymentState(
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): ProcessorPayment['state'] {
  if (session.status === 'expired') return 'expired';
  if (session.status !== 'complete') return 'open';
  if (session.payment_status !== 'unpaid') return 'paid';
  // The form is through, the money is not: a bank still decides, or it has said no.
  return intent?.status === 'requires_payment_method' || intent?.status === 'canceled'
    ? 'failed'
    : 'processing';
}

async function expireSession(processorSessionId: string): Promise<void> {
  await stripe().checkout.sessions.expire(processorSessionId);
}

function readEvent(body: string, signature: string | null): ProcessorEvent | null {
  const event = requireSignedEvent(body, signature);
  if (SESSION_EVENTS.has(event.type)) {
    const { client_reference_id: checkoutSessionId } = event.data.object as Stripe.Checkout.Session;
    return checkoutSessionId === null ? null : { about: 'session', checkoutSessionId };
  }
  if (!REVERSAL_EVENTS.has(event.type)) return null;
  const { payment_intent: payment } = event.data.object as Stripe.Refund | Stripe.Charge | Stripe.Dispute;
  const paymentId = typeof payment === 'string' ? payment : payment?.id;
  return paymentId === undefined ? null : { about: 'reversal', paymentId };
}

function requireSignedEvent(body: string, signature: string | null): Stripe.Event {
  const secret = settings().STRIPE_WEBHOOK_SECRET;
  invariant(secret, 'STRIPE_WEBHOOK_SECRET is set beside STRIPE_SECRET_KEY');
  try {
    return stripe().webhooks.constructEvent(body, signature ?? '', secret);
  } catch (cause) {
    throw new ApiError('invalid_request', 'The signature of this event is not valid', { cause });
  }
}

let client: { stripe: Stripe; key: string; base: string | undefined } | undefined;

function stripe(): Stripe {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_BASE: base } = settings();
  invariant(key, 'a payment processor is configured: STRIPE_SECRET_KEY, or the sandbox at start');
  if (client?.key !== key || client.base !== base) client = { stripe: connect(key, base), key, base };
  return client.stripe;
}

function connect(key: string, base: string | undefined): Stripe {
  const common = { telemetry: false, timeout: TIMEOUT_MS, maxNetworkRetries: 2 };
  if (base === undefined) return new Stripe(key, common);
  const { hostname, port, protocol } = new URL(base);
  const isPlain = protocol === 'http:';
  return new Stripe(key, {
    ...common,
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
  });
}
