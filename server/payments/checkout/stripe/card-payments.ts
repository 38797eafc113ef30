import Stripe from 'stripe';
import { settings } from '../../../base/env';
import { classifyDecline } from '../failure';
import type { CardBuyer, CardCharge, CardMethod, CardOrder, ProcessorPayment } from '../payment-processor';
import { explainRefusal } from './account-not-ready';
import { isCardOf } from './cards';
import { hasCode, idOf, isMissing, stripe } from './client';
import {
  type CreatedWithin,
  describePayment,
  readAttempt,
  readQuote,
  readReversed,
  writeQuote,
} from './payment-data';

/** Payments with a saved card, without a form: PaymentIntents that our server creates and confirms. */

export async function chargeCard(
  order: CardOrder,
  keepPayment: (paymentId: string) => Promise<boolean>,
): Promise<CardCharge> {
  // Stripe also accepts a payment method that belongs to no customer.
  if (!(await isCardOf(order))) return { kind: 'unknown_card' };
  const created = await createPayment(order);
  if ('kind' in created) return created;
  if (!(await keepPayment(created.id))) return { kind: 'declined', paymentId: null, failure: 'not_started' };
  return confirm(created.id, order.buyer, { idempotencyKey: `pi_${order.checkoutSessionId}_confirm` });
}

/** Moves no money yet: the payment waits to be confirmed. */
async function createPayment(order: CardOrder): Promise<Stripe.PaymentIntent | CardCharge> {
  const { checkoutSessionId, amountMinor: amount, currency, processorCustomerId, cardId } = order;
  try {
    const tax = await calculateTax(order);
    const about = describePayment(order);
    return await stripe().paymentIntents.create(
      {
        ...about,
        amount,
        currency,
        customer: processorCustomerId,
        payment_method: cardId,
        allowed_payment_method_types: ['card'],
        metadata: {
          ...about.metadata,
          ...writeQuote(order.quote),
          method: order.method,
          ...(tax !== null && { tax: String(tax.tax_amount_inclusive) }),
        },
        ...(tax?.id && { hooks: { inputs: { tax: { calculation: tax.id } } } }),
      },
      { idempotencyKey: `pi_${checkoutSessionId}` },
    );
  } catch (error) {
    if (hasCode(error, 'customer_tax_location_invalid'))
      return { kind: 'declined', paymentId: null, failure: 'no_tax_address' };
    if (error instanceof Stripe.errors.StripeInvalidRequestError && !(await isCardOf(order)))
      return { kind: 'unknown_card' };
    throw explainRefusal(error);
  }
}

/** A payment without a form has no automatic tax, so it is calculated here, from the customer's address. */
async function calculateTax(order: CardOrder): Promise<Stripe.Tax.Calculation | null> {
  if (!settings().STRIPE_AUTOMATIC_TAX) return null;
  const { checkoutSessionId, amountMinor, currency, processorCustomerId } = order;
  return stripe().tax.calculations.create(
    {
      currency,
      customer: processorCustomerId,
      line_items: [{ amount: amountMinor, reference: checkoutSessionId, tax_behavior: 'inclusive' }],
    },
    { idempotencyKey: `tax_${checkoutSessionId}` },
  );
}

export async function confirmCardPayment({
  paymentId,
  buyer,
}: {
  paymentId: string;
  buyer: CardBuyer;
}): Promise<CardCharge> {
  const intent = await stripe().paymentIntents.retrieve(paymentId);
  if (intent.status === 'requires_confirmation') return confirm(paymentId, buyer);
  const error = intent.status === 'requires_payment_method' ? intent.last_payment_error : null;
  if (error === null || classifyDecline(error) !== 'not_confirmed' || buyer.kind === 'absent')
    return describeCharge(intent);
  // After a refusal the payment no longer holds its card, only the error does.
  return confirm(paymentId, buyer, { card: idOf(error.payment_method) });
}

async function confirm(
  paymentId: string,
  buyer: CardBuyer,
  { card = null, idempotencyKey }: { card?: string | null; idempotencyKey?: string } = {},
): Promise<CardCharge> {
  try {
    const intent = await stripe().paymentIntents.confirm(
      paymentId,
      {
        ...(card !== null && { payment_method: card }),
        ...(buyer.kind === 'present' ? { return_url: buyer.returnUrl } : { off_session: true }),
      },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
    return describeCharge(intent);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError && error.payment_intent)
      return describeCharge(error.payment_intent);
    // Another call confirms it, or has done so.
    if (hasCode(error, 'idempotency_key_in_use') || hasCode(error, 'payment_intent_unexpected_state'))
      return describeCharge(await stripe().paymentIntents.retrieve(paymentId));
    throw error;
  }
}

function describeCharge(intent: Stripe.PaymentIntent): CardCharge {
  const { id: paymentId, status, next_action, last_payment_error: error } = intent;
  switch (status) {
    case 'succeeded':
      return { kind: 'paid', paymentId };
    case 'processing':
    case 'requires_confirmation':
      return { kind: 'processing', paymentId };
    case 'requires_action':
      return { kind: 'needs_action', paymentId, url: next_action?.redirect_to_url?.url ?? null };
    default:
      if (status === 'requires_payment_method' && needsBuyer(error))
        return { kind: 'needs_action', paymentId, url: null };
      return { kind: 'declined', paymentId, failure: classifyDecline(error ?? {}) };
  }
}

/** The bank refused only because the buyer was absent. */
function needsBuyer(error: Stripe.PaymentIntent.LastPaymentError | null): boolean {
  return error?.code === 'authentication_required' || error?.decline_code === 'authentication_required';
}

const WITH_CHARGE = ['latest_charge'];

export async function readCardPayment(paymentId: string): Promise<ProcessorPayment | null> {
  try {
    return toPayment(await stripe().paymentIntents.retrieve(paymentId, { expand: WITH_CHARGE }));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Payments through a form are listed as sessions. */
export async function* listPaidCharges(created: CreatedWithin): AsyncGenerator<ProcessorPayment> {
  const intents = stripe().paymentIntents.list({ created, limit: 100, expand: ['data.latest_charge'] });
  for await (const intent of intents)
    if (intent.status === 'succeeded' && isCardMethod(intent.metadata.method)) yield toPayment(intent);
}

export const isCardMethod = (method: string | undefined): method is CardMethod =>
  method === 'saved_card' || method === 'auto_top_up';

function toPayment(intent: Stripe.PaymentIntent): ProcessorPayment {
  const { id, metadata, status, last_payment_error: error } = intent;
  // Kept from an earlier attempt while a new one is under way.
  const isRefused = status === 'requires_payment_method' || status === 'canceled';
  return {
    reference: { processorSessionId: null, processorPaymentId: id },
    method: isCardMethod(metadata.method) ? metadata.method : 'saved_card',
    checkoutSessionId: metadata.checkout_session ?? null,
    createdAt: new Date(intent.created * 1000),
    state: paymentState(intent),
    mode: 'payment',
    currency: intent.currency,
    amountMinor: status === 'succeeded' ? intent.amount_received : intent.amount,
    taxMinor: Number(metadata.tax ?? 0),
    failure: isRefused && error ? classifyDecline(error) : null,
    paymentId: id,
    ...readReversed(intent),
    attempt: readAttempt(intent),
    processorCustomerId: idOf(intent.customer),
    quote: readQuote(metadata),
  };
}

/** A refused card leaves the payment open at Stripe. */
function paymentState({ status, last_payment_error }: Stripe.PaymentIntent): ProcessorPayment['state'] {
  if (status === 'succeeded') return 'paid';
  if (status === 'processing') return 'processing';
  if (status !== 'canceled') return 'open';
  return last_payment_error ? 'failed' : 'expired';
}

export async function cancelCardPayment(paymentId: string): Promise<boolean> {
  try {
    await stripe().paymentIntents.cancel(paymentId);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (!hasCode(error, 'payment_intent_unexpected_state')) throw error;
    // Another caller may have cancelled it at the same moment.
    return (await stripe().paymentIntents.retrieve(paymentId)).status === 'canceled';
  }
}
