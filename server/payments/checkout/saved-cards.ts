import { nowDate } from '../../base/clock';
import { ApiError } from '../../base/errors';
import { sha256 } from '../../base/ids';
import { findCustomer, forgetCustomer, openCustomer } from './customers';
import { countPaymentAttempt } from './payment-limit';
import { withQuery } from './payment-pages';
import type { SavedCard } from './payment-processor';
import { stripeProcessor } from './stripe/processor';
import { turnOffForCard } from './top-up/auto-top-up';

/** The cards that a user saved at the payment processor. Nothing about a card is stored here. */

export type CardExpiry = 'valid' | 'expires_soon' | 'expired';

/** Whether the user may have saved cards, from our own rows: reading them is a call to the processor. */
export async function hasCustomer(userId: string): Promise<boolean> {
  return (await findCustomer(userId)) !== null;
}

/** The card used last comes first. */
export async function listSavedCards(userId: string): Promise<SavedCard[]> {
  const customer = await findCustomer(userId);
  return customer === null ? [] : stripeProcessor.listCards(customer);
}

/** The same, without expired cards. */
export async function listUsableCards(userId: string): Promise<SavedCard[]> {
  return (await listSavedCards(userId)).filter((card) => expiryOf(card) !== 'expired');
}

/** A card is good until the end of its month. It expires soon in that month and the one before. */
export function expiryOf({ expiryYear, expiryMonth }: SavedCard, today = nowDate()): CardExpiry {
  const months = (expiryYear - today.getUTCFullYear()) * 12 + expiryMonth - (today.getUTCMonth() + 1);
  if (months < 0) return 'expired';
  return months <= 1 ? 'expires_soon' : 'valid';
}

/** False when the user has no such card. */
export async function removeSavedCard(userId: string, cardId: string): Promise<boolean> {
  const processorCustomerId = await findCustomer(userId);
  if (processorCustomerId === null) return false;
  if ((await stripeProcessor.removeCard({ processorCustomerId, cardId })) !== 'removed') return false;
  await turnOffForCard(userId, cardId);
  return true;
}

/**
 * Starts the processor's page on which a card is added. It returns to `returnUrl`, with the outcome as `card`.
 * The same button starts it once.
 */
export async function startCardSetup(
  userId: string,
  { returnUrl, buttonId }: { returnUrl: string; buttonId: string },
): Promise<{ url: string }> {
  await countPaymentAttempt(userId);
  const processorCustomerId = await openCustomer(userId);
  const started = await stripeProcessor.createCardSetup({
    processorCustomerId,
    successUrl: withQuery(returnUrl, { card: 'added' }),
    cancelUrl: withQuery(returnUrl, { card: 'cancelled' }),
    language: 'en',
    setupKey: `card_setup_${sha256(`${processorCustomerId}:${buttonId}`).toString('hex')}`,
  });
  if (started !== 'unknown_customer') return started;
  // Deleted at the processor, or from another account.
  await forgetCustomer(userId, processorCustomerId);
  throw new ApiError('upstream_error', 'The card could not be added. Please try again.');
}
