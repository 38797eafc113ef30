import Stripe from 'stripe';
import { invariant } from '../../../base/errors';
import { hasIdForm } from '../../../base/ids';
import { classifyDecline } from '../failure';
import type {
  CardAuthorization,
  CardSetup,
  CardSetupPage,
  CustomerCard,
  ReadAuthorization,
  SavedCard,
} from '../payment-processor';
import { idOf, isMissing, stripe } from './client';
import { localeOf } from './locale';

const MAX_CARDS = 100;
/** Among these, the last card that is still saved is looked for. */
const LATEST_PAYMENTS = 10;

export async function listCards(processorCustomerId: string): Promise<SavedCard[]> {
  try {
    const [{ data }, lastUsed] = await Promise.all([
      stripe().customers.listPaymentMethods(processorCustomerId, { type: 'card', limit: MAX_CARDS }),
      findLastUsed(processorCustomerId),
    ]);
    const cards = data.flatMap(({ id, card }) => (card ? [toSavedCard(id, card)] : []));
    return lastUsedFirst(cards, lastUsed);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The payment methods of the customer's latest payments, newest first. Stripe drops them from declined ones. */
async function findLastUsed(customer: string): Promise<(string | null)[]> {
  const { data } = await stripe().paymentIntents.list({ customer, limit: LATEST_PAYMENTS });
  return data.map(({ payment_method }) => idOf(payment_method));
}

function lastUsedFirst(cards: SavedCard[], lastUsed: (string | null)[]): SavedCard[] {
  const first = lastUsed.map((id) => cards.find((card) => card.id === id)).find((card) => card !== undefined);
  return first === undefined ? cards : [first, ...cards.filter((card) => card !== first)];
}

const toSavedCard = (
  id: string,
  { brand, last4, exp_month, exp_year }: Stripe.PaymentMethod.Card,
): SavedCard => ({ id, brand, last4, expiryMonth: exp_month, expiryYear: exp_year });

export async function removeCard(card: CustomerCard): Promise<'removed' | 'unknown_card'> {
  if (!(await isCardOf(card))) return 'unknown_card';
  try {
    await stripe().paymentMethods.detach(card.cardId);
    return 'removed';
  } catch (error) {
    // Removed by another call in the meantime.
    if (!(await isCardOf(card))) return 'removed';
    throw error;
  }
}

/** Reading it through the customer finds no card of anyone else. */
export async function isCardOf({ processorCustomerId, cardId }: CustomerCard): Promise<boolean> {
  if (!hasIdForm(cardId)) return false;
  try {
    await stripe().customers.retrievePaymentMethod(processorCustomerId, cardId);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export async function createCardSetup({
  processorCustomerId,
  successUrl,
  cancelUrl,
  language,
  setupKey,
}: CardSetupPage): Promise<{ setupId: string; url: string } | 'unknown_customer'> {
  try {
    const { id, url } = await stripe().checkout.sessions.create(
      {
        mode: 'setup',
        ui_mode: 'hosted_page',
        customer: processorCustomerId,
        allowed_payment_method_types: ['card'],
        // The buyer adds it to be offered again.
        payment_method_data: { allow_redisplay: 'always' },
        locale: localeOf(language),
        success_url: successUrl,
        cancel_url: cancelUrl,
      },
      { idempotencyKey: setupKey },
    );
    invariant(url, 'a hosted session has a URL');
    return { setupId: id, url };
  } catch (error) {
    if (isMissing(error, 'customer')) return 'unknown_customer';
    throw error;
  }
}

const SETUP_STATES = { complete: 'done', expired: 'expired', open: 'open' } as const;

export async function readCardSetup(setupId: string): Promise<CardSetup | null> {
  try {
    const { mode, status, customer, setup_intent } = await stripe().checkout.sessions.retrieve(setupId, {
      expand: ['setup_intent'],
    });
    if (mode !== 'setup') return null;
    return {
      processorCustomerId: idOf(customer),
      state: SETUP_STATES[status as keyof typeof SETUP_STATES] ?? 'open',
      cardId: setup_intent && typeof setup_intent === 'object' ? idOf(setup_intent.payment_method) : null,
    };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function authorizeCard({
  processorCustomerId,
  cardId,
  returnUrl,
  key,
}: CustomerCard & { returnUrl: string; key: string }): Promise<CardAuthorization | { kind: 'unknown_card' }> {
  try {
    const intent = await stripe().setupIntents.create(
      {
        customer: processorCustomerId,
        payment_method: cardId,
        allowed_payment_method_types: ['card'],
        usage: 'off_session',
        confirm: true,
        return_url: returnUrl,
      },
      { idempotencyKey: key },
    );
    return describeAuthorization(intent);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError)
      return { kind: 'declined', failure: classifyDecline(error) };
    const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError;
    if (isRefused && !(await isCardOf({ processorCustomerId, cardId }))) return { kind: 'unknown_card' };
    throw error;
  }
}

function describeAuthorization(intent: Stripe.SetupIntent): CardAuthorization {
  if (intent.status === 'succeeded') return { kind: 'ready' };
  const url = intent.next_action?.redirect_to_url?.url;
  if (intent.status === 'requires_action' && url)
    return { kind: 'needs_action', url, authorizationId: intent.id };
  return { kind: 'declined', failure: classifyDecline(intent.last_setup_error ?? {}) };
}

export async function readAuthorization(authorizationId: string): Promise<ReadAuthorization | null> {
  try {
    const intent = await stripe().setupIntents.retrieve(authorizationId);
    const { kind } = describeAuthorization(intent);
    return { processorCustomerId: idOf(intent.customer), cardId: idOf(intent.payment_method), state: kind };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function deleteCustomer(processorCustomerId: string): Promise<void> {
  try {
    await stripe().customers.del(processorCustomerId);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
