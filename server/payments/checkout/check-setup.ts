import { type Settings, settings } from '../../base/env';
import { isLoopbackHost } from '../../base/open-sandboxes';
import { listWantedHosts } from './payment-method-domains';
import { checkAccount } from './stripe/check/account';
import { checkConnect } from './stripe/check/connect';
import { checkDomains } from './stripe/check/domains';
import { checkTax, checkTerms } from './stripe/check/options';
import { checkRights } from './stripe/check/rights';
import { ok, type SetupCheck, warning, wrong } from './stripe/check/setup-check';
import { checkWebhook } from './stripe/check/webhook';

export type { SetupCheck } from './stripe/check/setup-check';

/** Checks the payment processor's account before the first buyer does. It changes nothing there. */
export async function checkSetup(): Promise<SetupCheck[]> {
  const mode = checkMode(settings());
  const account = await checkAccount();
  if (!account.isReachable) return [mode, ...account.checks];
  const wanted = await listWantedHosts();
  const others = await Promise.all([
    checkWebhook(),
    checkTax(),
    checkTerms(),
    checkDomains(wanted),
    checkRights(),
  ]);
  return [mode, ...account.checks, ...others, ...(await checkConnect())];
}

/** Keys of two modes, and a live key without https, stop the start before this. */
export function checkMode({
  STRIPE_SECRET_KEY = '',
  STRIPE_API_BASE,
  BASE_URL,
  CHECKOUT_URL,
}: Settings): SetupCheck {
  const name = 'Keys and addresses';
  const isLocal = [BASE_URL, CHECKOUT_URL].some((url) => isLoopbackHost(new URL(url).hostname));
  if (STRIPE_API_BASE !== undefined) return ok(name, 'The payment sandbox is used instead of Stripe.');
  if (STRIPE_SECRET_KEY.includes('_live_'))
    return isLocal
      ? wrong(
          name,
          `Live keys, but buyers cannot reach ${BASE_URL}.`,
          'Set BASE_URL and CHECKOUT_URL to the public addresses.',
        )
      : ok(name, `Live keys; buyers pay real money at ${CHECKOUT_URL}.`);
  return isLocal
    ? ok(name, 'Test keys; no real money moves.')
    : warning(
        name,
        `Test keys: anyone who can reach ${CHECKOUT_URL} can buy credits with a test card.`,
        'Before the first real buyer, set the live keys.',
      );
}
