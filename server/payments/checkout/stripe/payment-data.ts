import type Stripe from 'stripe';
import type { CardAttempt, ProcessorPayment, Quote } from '../payment-processor';

/** What every payment carries at Stripe: only ids and the quote, no partner metadata, no user's e-mail address. */

/** The suffix after the account's name on the card statement. */
export const STATEMENT_SUFFIX = 'CREDITS';

export function describePayment({
  checkoutSessionId,
  description,
}: {
  checkoutSessionId: string;
  description: string;
}) {
  return {
    description,
    metadata: { checkout_session: checkoutSessionId },
    transfer_group: checkoutSessionId,
    statement_descriptor_suffix: STATEMENT_SUFFIX,
  };
}

export function writeQuote({ partnerId, appUserId, rate, credits }: Quote): Stripe.MetadataParam {
  return {
    ...(partnerId !== null && { partner: partnerId }),
    ...(appUserId !== null && { app_user: appUserId }),
    rate,
    microcredits: credits.toString(),
  };
}

export function readQuote({ partner, app_user, rate, microcredits }: Stripe.Metadata): Quote | null {
  if (rate === undefined || microcredits === undefined) return null;
  return {
    partnerId: partner ?? null,
    appUserId: app_user ?? null,
    rate,
    credits: BigInt(microcredits),
  };
}

const chargeOf = (intent: Stripe.PaymentIntent | null): Stripe.Charge | null =>
  typeof intent?.latest_charge === 'object' ? intent.latest_charge : null;

/** The latest charge of a payment that was read with it, once the bank has decided on it. */
export function readAttempt(intent: Stripe.PaymentIntent | null): CardAttempt | null {
  const charge = chargeOf(intent);
  const card = charge?.payment_method_details?.card;
  if (!charge || !card || charge.status === 'pending') return null;
  return {
    chargeId: charge.id,
    cardFingerprint: card.fingerprint ?? null,
    isDeclined: charge.status === 'failed',
    at: new Date(charge.created * 1000),
  };
}

/** What was taken back of a payment whose charge was read with it. */
export function readReversed(
  intent: Stripe.PaymentIntent | null,
): Pick<ProcessorPayment, 'isReversed' | 'refundedMinor'> {
  const charge = chargeOf(intent);
  return {
    isReversed: charge !== null && (charge.amount_refunded > 0 || charge.disputed),
    refundedMinor: charge?.amount_refunded ?? 0,
  };
}

/** A period in Stripe's seconds. */
export type CreatedWithin = { gte: number; lt: number };
