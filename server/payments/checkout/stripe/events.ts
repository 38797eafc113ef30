import type Stripe from 'stripe';
import { settings } from '../../../base/env';
import { ApiError, invariant } from '../../../base/errors';
import type { ProcessorEvent, ProcessorReference, Reversal, ReversalKind } from '../payment-processor';
import { isCardMethod } from './card-payments';
import { idOf, isMissing } from './client';
import { readSignedEvent } from './signed-event';

/** Events after which the session is read again. The state itself is read from Stripe. */
const PAID_SESSION_EVENTS = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
]);
const SESSION_EVENTS = new Set([
  ...PAID_SESSION_EVENTS,
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
]);

const REVERSAL_EVENTS = {
  'refund.created': 'refund',
  'refund.updated': 'refund',
  'refund.failed': 'refund',
  'charge.refunded': 'refund',
  'charge.dispute.created': 'dispute',
  'charge.dispute.updated': 'dispute',
  'charge.dispute.closed': 'dispute',
  'radar.early_fraud_warning.created': 'warning',
  'radar.early_fraud_warning.updated': 'warning',
} as const satisfies Partial<Record<Stripe.Event['type'], ReversalKind>>;

export const REVERSAL_EVENT_TYPES = Object.keys(REVERSAL_EVENTS) as (keyof typeof REVERSAL_EVENTS)[];

/** How the bank decides on a saved card. The payment of a form is reported by the events of its session. */
const CARD_EVENTS = new Set([
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.canceled',
]);

/** The events that a webhook endpoint must send us. */
export const HEARD_EVENTS: readonly string[] = [
  ...SESSION_EVENTS,
  'payment_intent.payment_failed',
  ...CARD_EVENTS,
  ...REVERSAL_EVENT_TYPES,
];

export async function readEvent(body: string, signature: string | null): Promise<ProcessorEvent | null> {
  const event = await readSnapshot(requireSignedEvent(body, signature));
  if (event === null) return null;
  const { type, data } = event;
  if (SESSION_EVENTS.has(type)) {
    const { id, client_reference_id } = data.object as Stripe.Checkout.Session;
    const paid = { processorSessionId: id, processorPaymentId: null };
    return aboutSession(client_reference_id, PAID_SESSION_EVENTS.has(type) ? paid : null);
  }
  // Not final: the form stays open for another card.
  if (type === 'payment_intent.payment_failed')
    return aboutSession(data.object.metadata.checkout_session, null);
  if (CARD_EVENTS.has(type)) return readCardEvent(type, data.object as Stripe.PaymentIntent);
  const reversal = readReversal(event);
  return reversal && { about: 'reversal', ...reversal };
}

/** Null for an event about anything else. */
export function readReversal({ type, data }: Stripe.Event): Reversal | null {
  const kind = Object.entries(REVERSAL_EVENTS).find(([name]) => name === type)?.[1];
  if (kind === undefined) return null;
  const paymentId = idOf((data.object as Stripe.Refund | Stripe.Charge | Stripe.Dispute).payment_intent);
  return paymentId === null ? null : { paymentId, kind };
}

function readCardEvent(type: string, { id, metadata }: Stripe.PaymentIntent): ProcessorEvent | null {
  if (!isCardMethod(metadata.method)) return null;
  const paid = { processorSessionId: null, processorPaymentId: id };
  return aboutSession(metadata.checkout_session, type === 'payment_intent.succeeded' ? paid : null);
}

function aboutSession(
  checkoutSessionId: string | null | undefined,
  paid: ProcessorReference | null,
): ProcessorEvent | null {
  return checkoutSessionId ? { about: 'session', checkoutSessionId, paid } : null;
}

/** A thin event only names its object: reads that from Stripe. Null if we do not hear the event, or see the object. */
async function readSnapshot(
  event: Stripe.Event | Stripe.V2.Core.EventNotification,
): Promise<Stripe.Event | null> {
  if (event.object !== 'v2.core.event') return event;
  const type = event.type.replace(/^v1\./, '');
  if (!HEARD_EVENTS.includes(type) || !('fetchRelatedObject' in event)) return null;
  try {
    return { type, data: { object: await event.fetchRelatedObject() } } as Stripe.Event;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function requireSignedEvent(
  body: string,
  signature: string | null,
): Stripe.Event | Stripe.V2.Core.EventNotification {
  const secret = settings().STRIPE_WEBHOOK_SECRET;
  invariant(secret, 'STRIPE_WEBHOOK_SECRET is set along with STRIPE_SECRET_KEY');
  const event = readSignedEvent(body, signature, secret);
  if (event === null) throw new ApiError('invalid_request', 'The signature of this event is invalid.');
  return event;
}
