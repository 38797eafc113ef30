import { settings } from '../../../../base/env';
import { NEEDED_FOR_TAX, NEEDED_FOR_TERMS } from '../account-not-ready';
import { stripe } from '../client';
import {
  couldNotRead,
  describeStripeError,
  isForbidden,
  ok,
  type SetupCheck,
  warning,
  wrong,
} from './setup-check';

/** What STRIPE_AUTOMATIC_TAX needs. */
export async function checkTax(): Promise<SetupCheck> {
  const name = 'Tax';
  if (!settings().STRIPE_AUTOMATIC_TAX) return ok(name, 'Off (STRIPE_AUTOMATIC_TAX).');
  try {
    const { status, status_details } = await stripe().tax.settings.retrieve();
    if (status !== 'active') {
      const missing = status_details.pending?.missing_fields?.join(', ') ?? 'unknown';
      return wrong(
        name,
        `Stripe cannot calculate tax, so no payment can begin. Missing: ${missing}.`,
        NEEDED_FOR_TAX.fix,
      );
    }
    const { data } = await stripe().tax.registrations.list({ status: 'active', limit: 1 });
    return data.length === 0
      ? warning(
          name,
          'There is no registration, so all tax is zero.',
          'Add the countries where you are registered (Stripe dashboard: Tax → Registrations).',
        )
      : ok(name, 'Stripe calculates tax.');
  } catch (error) {
    return couldNotRead(name, error, 'Tax Calculations and Transactions');
  }
}

const TRIAL_PRICE = { currency: 'usd', unit_amount: 1000, product_data: { name: 'Set-up check' } };

/** Stripe shows the address of the terms nowhere: only a session that asks for consent to them is refused. */
export async function checkTerms(): Promise<SetupCheck> {
  const name = 'Terms of service';
  const { STRIPE_TERMS_OF_SERVICE, BASE_URL } = settings();
  if (!STRIPE_TERMS_OF_SERVICE) return ok(name, 'Off (STRIPE_TERMS_OF_SERVICE).');
  try {
    const { id } = await stripe().checkout.sessions.create({
      mode: 'payment',
      line_items: [{ quantity: 1, price_data: TRIAL_PRICE }],
      success_url: BASE_URL,
      consent_collection: { terms_of_service: 'required' },
    });
    await stripe().checkout.sessions.expire(id);
    return ok(name, 'Stripe asks buyers for their consent.');
  } catch (error) {
    if (isForbidden(error)) return couldNotRead(name, error, 'Checkout Sessions');
    return wrong(
      name,
      `Stripe refuses a session that asks for consent: ${describeStripeError(error)}`,
      NEEDED_FOR_TERMS.fix,
    );
  }
}
