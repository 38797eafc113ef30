import type { Language } from '../../../texts/languages';
import { ApiError } from '../../base/errors';
import { rememberLanguage } from '../../people/language';
import { isConfirmed } from '../../people/presence';
import type { Currency } from './amounts';
import { countPaymentAttempt } from './payment-limit';
import { hostedPage, returnPageUrl, withQuery } from './payment-pages';
import type { PaymentPage } from './payment-processor';
import { type PaymentReport, readPaymentStatus } from './payment-status';
import { readOffer } from './promotions';
import {
  type CheckoutMode,
  closeEarlierPayments,
  type PaymentCustomer,
  type StartedPayment,
  startPayment,
} from './start';
import { requireEnabledPartner } from './visit-partner';
import { isFirstParty, requireSignedIn, type SignedIn } from './visit-sign-in';
import { isWebsite, type Visit } from './visits';

type PaymentChoice = {
  amount: unknown;
  currency: Currency;
  checkoutMode: CheckoutMode;
  language: Language;
  promotionCode?: string | undefined;
};

/** Starts a payment in a window and replaces any earlier one. */
export async function startVisitPayment(visit: Visit, choice: PaymentChoice): Promise<StartedPayment> {
  const signedIn = await requireSignedIn(visit);
  const { userId } = signedIn;
  if (choice.promotionCode !== undefined) requireOwnCode(signedIn);
  await requireEnabledPartner(visit);
  await countPaymentAttempt(userId);
  await rememberLanguage(userId, choice.language);
  const started = await startPayment({
    ...choice,
    userId,
    partnerId: visit.partnerId,
    visitId: visit.id,
    isFromDeviceApp: !isWebsite(visit.origin),
    customer: await describeCustomer(visit, signedIn),
    page: (checkoutSessionId) => choosePage(visit.display, choice.checkoutMode, checkoutSessionId),
  });
  await closeEarlierPayments(visit.id, started.payment.id);
  return started;
}

/**
 * A card may be saved in a first-party window, and those saved pay there after a confirmation. A key alone does
 * not identify the person paying.
 */
async function describeCustomer(visit: Visit, signedIn: SignedIn): Promise<PaymentCustomer> {
  if (signedIn.by !== 'session') return null;
  const canSaveCard = isFirstParty(visit);
  return { canSaveCard, offersSavedCards: canSaveCard && (await isConfirmed(signedIn)) };
}

function choosePage(display: string, mode: CheckoutMode, checkoutSessionId: string): PaymentPage {
  const returnUrl = returnPageUrl();
  if (mode !== 'embedded') return hostedPage(returnUrl, checkoutSessionId);
  if (display === 'embedded') return { kind: 'framed' };
  return { kind: 'first_party', returnUrl: withQuery(returnUrl, { session_id: checkoutSessionId }) };
}

/** What a promotion code would add to a purchase in this window. */
export async function readVisitOffer(visit: Visit, code: string): ReturnType<typeof readOffer> {
  const signedIn = await requireSignedIn(visit);
  requireOwnCode(signedIn);
  return readOffer({ userId: signedIn.userId, partnerId: visit.partnerId }, code);
}

/** A code takes one of the user's redemptions and closes their other forms with one, so a key is not enough. */
function requireOwnCode({ by }: SignedIn): void {
  if (by !== 'session')
    throw new ApiError('step_up_required', 'Sign in with your e-mail address to use a promotion code.', {
      param: 'promotion_code',
    });
}

export async function readVisitPayment(visit: Visit, checkoutSessionId: string): Promise<PaymentReport> {
  const { userId } = await requireSignedIn(visit);
  return readPaymentStatus(checkoutSessionId, { userId, partnerId: visit.partnerId });
}
