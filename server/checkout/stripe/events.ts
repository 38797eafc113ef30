import type Stripe from 'stripe';
import { settings } from '../../env';
import { ApiError, invariant } from '../../errors';
import type { ProcessorEvent } from '../payment-processor';
import { idOf, stripe } from './client';

/** Events after which the session is read again. The state itself is read from Stripe. */
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
  'radar.early_fraud_warning.created',
  'radar.early_fraud_warning.updated',
]);

export function readEvent(body: string, signature: string | null): ProcessorEvent | null {
  const { type, data } = requireSignedEvent(body, signature);
  if (SESSION_EVENTS.has(type)) {
    return aboutSession((data.object as Stripe.Checkout.Session).client_reference_id);
  }
  // Not final: the form stays open for another card.
  if (type === 'payment_intent.payment_failed') return aboutSession(data.object.metadata.checkout_session);
  if (!REVERSAL_EVENTS.has(type)) return null;
  const paymentId = idOf((data.object as Stripe.Refund | Stripe.Charge | Stripe.Dispute).payment_intent);
  return paymentId === null ? null : { about: 'reversal', paymentId };
}

function aboutSession(checkoutSessionId: string | null | undefined): ProcessorEvent | null {
  return checkoutSessionId ? { about: 'session', checkoutSessionId } : null;
}

function requireSignedEvent(body: string, signature: string | null): Stripe.Event {
  const secret = settings().STRIPE_WEBHOOK_SECRET;
  invariant(secret, 'STRIPE_WEBHOOK_SECRET is set along with STRIPE_SECRET_KEY');
  try {
    return stripe().webhooks.constructEvent(body, signature ?? '', secret);
  } catch (cause) {
    throw new ApiError('invalid_request', 'The signature of this event is invalid.', { cause });
  }
}
