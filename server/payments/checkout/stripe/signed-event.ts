import Stripe from 'stripe';
import { ApiError } from '../../../base/errors';
import { stripe } from './client';

/** An event with either payload; null if it is not signed with this secret. */
export function readSignedEvent(
  body: string,
  signature: string | null,
  secret: string,
): Stripe.Event | Stripe.V2.Core.EventNotification | null {
  const given = [body, signature ?? '', secret] as const;
  try {
    return stripe().webhooks.constructEvent(...given);
  } catch (cause) {
    if (cause instanceof Stripe.errors.StripeSignatureVerificationError) return null;
    return requireThinEvent(given);
  }
}

function requireThinEvent(
  given: readonly [body: string, signature: string, secret: string],
): Stripe.V2.Core.EventNotification {
  try {
    return stripe().parseEventNotification(...given);
  } catch (cause) {
    throw new ApiError('invalid_request', 'Expected an event with a snapshot or a thin payload.', { cause });
  }
}
