import Stripe from 'stripe';
import { AccountNotReady, type AccountSetting } from '../account-not-ready';

type Needed = { setting: AccountSetting; fix: string; refusal: RegExp };

/** What each setting needs at Stripe. Stripe has no code for its absence, only words and the parameter's name. */
export const NEEDED_FOR_TAX: Needed = {
  setting: 'STRIPE_AUTOMATIC_TAX',
  fix: 'Complete the settings (Stripe dashboard: Settings → Tax), or set STRIPE_AUTOMATIC_TAX=false.',
  refusal: /automatic[_ ]tax|head office|origin address|settings\/tax|stripe tax/i,
};
export const NEEDED_FOR_TERMS: Needed = {
  setting: 'STRIPE_TERMS_OF_SERVICE',
  fix: 'Enter the URL of your terms (Stripe dashboard: Settings → Business → Public details), or set STRIPE_TERMS_OF_SERVICE=false.',
  refusal: /terms[_ ]of[_ ]service/i,
};

/** The same error, or which setting the account is not ready for. */
export function explainRefusal(error: unknown): unknown {
  // An error with a code is about this payment or buyer, not about the account.
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code) return error;
  const said = `${error.param} ${error.message}`;
  const needed = [NEEDED_FOR_TAX, NEEDED_FOR_TERMS].find(({ refusal }) => refusal.test(said));
  return needed === undefined ? error : new AccountNotReady(needed, error);
}
