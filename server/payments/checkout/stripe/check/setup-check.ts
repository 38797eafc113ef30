import Stripe from 'stripe';
import { describeError } from '../../../../base/log';

/** One line of the check: what was found, and what to do about it, with the place in Stripe's dashboard. */
export type SetupCheck = {
  name: string;
  state: 'ok' | 'warning' | 'wrong';
  found: string;
  fix: string | null;
};

export const ok = (name: string, found: string): SetupCheck => ({ name, state: 'ok', found, fix: null });
export const warning = (name: string, found: string, fix: string): SetupCheck => ({
  name,
  state: 'warning',
  found,
  fix,
});
export const wrong = (name: string, found: string, fix: string): SetupCheck => ({
  name,
  state: 'wrong',
  found,
  fix,
});

/** A call of the check that failed. It says nothing about the set-up, except that the key may lack a right. */
export function couldNotRead(name: string, error: unknown, right: string): SetupCheck {
  return isForbidden(error)
    ? warning(
        name,
        'The key may not read this.',
        `Look yourself, or give the key the right "${right}: Read" (Stripe dashboard: Developers → API keys).`,
      )
    : warning(name, `Stripe did not respond: ${describeStripeError(error)}`, 'Check again later.');
}

export const isForbidden = (error: unknown): boolean => error instanceof Stripe.errors.StripePermissionError;

export const describeStripeError = (error: unknown): string =>
  error instanceof Stripe.errors.StripeError ? error.message : describeError(error);
