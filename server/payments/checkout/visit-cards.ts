import type { Language } from '../../../texts/languages';
import { ApiError } from '../../base/errors';
import { rememberLanguage } from '../../people/language';
import { isConfirmed, lacksPasskey, type Present } from '../../people/presence';
import type { Currency } from './amounts';
import { buyWithCard } from './buy-with-card';
import type { CardPayment } from './pay-with-card';
import { returnPageUrl } from './payment-pages';
import type { SavedCard } from './payment-processor';
import { hasCustomer, listUsableCards, removeSavedCard } from './saved-cards';
import { findTopUpCardId } from './top-up/auto-top-up';
import { requireEnabledPartner } from './visit-partner';
import { findSignedIn, isFirstParty, requireOwnSignIn, type SignedIn } from './visit-sign-in';
import type { Visit } from './visits';

/**
 * Saved cards in a checkout window: only in one of our own, where the user signed in. A page around a frame
 * decides what the user sees of it, and a key proves nothing about who is there.
 */

/** Whether cards may be shown; reading them is a call to the processor. */
export async function offersCards(visit: Visit, signedIn: SignedIn | null): Promise<boolean> {
  if (!isFirstParty(visit) || signedIn?.by !== 'session') return false;
  return (await hasCustomer(signedIn.userId)) && !(await lacksPasskey(signedIn));
}

type VisitCard = SavedCard & {
  /** Removing it turns auto top-up off. */
  endsTopUp: boolean;
};

/** None where they cannot be used. */
export async function listVisitCards(visit: Visit): Promise<VisitCard[]> {
  const signedIn = await findSignedIn(visit);
  if (signedIn === null || !(await offersCards(visit, signedIn))) return [];
  const { userId } = signedIn;
  const [cards, topUpCardId] = await Promise.all([listUsableCards(userId), findTopUpCardId(userId)]);
  return cards.map((card) => ({ ...card, endsTopUp: card.id === topUpCardId }));
}

export async function removeVisitCard(visit: Visit, cardId: string): Promise<void> {
  const user = await requireCardUser(visit);
  if (!(await isConfirmed(user))) throw await unconfirmed(user);
  if (!(await removeSavedCard(user.userId, cardId))) throw unknownCard();
}

export type VisitCardOrder = {
  amount: unknown;
  currency: Currency;
  cardId: string;
  /** Identifies the click. Repeated, it is paid once. */
  payId: string;
  language: Language;
};

export async function payVisitWithCard(
  visit: Visit,
  { payId, ...order }: VisitCardOrder,
): Promise<CardPayment> {
  const user = await requireCardUser(visit);
  await requireEnabledPartner(visit);
  await rememberLanguage(user.userId, order.language);
  const paid = await buyWithCard(user, {
    ...order,
    partnerId: visit.partnerId,
    visitId: visit.id,
    idempotencyKey: `${visit.id}:${payId}`,
    returnUrl: returnPageUrl(),
  });
  if (paid === 'unconfirmed') throw await unconfirmed(user);
  if (paid.charge.kind === 'unknown_card') throw unknownCard();
  return paid;
}

async function requireCardUser(visit: Visit): Promise<Present> {
  if (!isFirstParty(visit))
    throw new ApiError(
      'invalid_request',
      'Saved cards can only be used in a window of the checkout, not in a frame.',
    );
  return requireOwnSignIn(visit);
}

async function unconfirmed(user: Present): Promise<ApiError> {
  return (await lacksPasskey(user))
    ? new ApiError(
        'passkey_required',
        'Use a saved card in your account, where you confirm with your passkey.',
      )
    : new ApiError('step_up_required', 'Please confirm with a code sent to your e-mail address.');
}

const unknownCard = (): ApiError => new ApiError('not_found', 'This card was removed. Choose another one.');
